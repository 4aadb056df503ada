import createCache from "@emotion/cache";
import { CacheProvider } from "@emotion/react";
import CssBaseline from "@mui/material/CssBaseline";
import Stack from "@mui/material/Stack";
import Typography from "@mui/material/Typography";
import Card from "@mui/material/Card";
import { createTheme, ThemeProvider, useColorScheme } from "@mui/material/styles";
import rtlPlugin from "@mui/stylis-plugin-rtl";
import { useEffect, useMemo } from "react";
import { prefixer } from "stylis";
import { directionOf, directionChoice, locale, themeMode } from "../../../../apps/console/src/settings.ts";
import { useQueuePage } from "../shared/queue-page.ts";
import { Filters } from "./filters.tsx";
import { MessageGrid } from "./message-grid.tsx";
import { QueueCards } from "./queue-cards.tsx";
import { Header, Sidebar } from "./shell.tsx";

const caches = {
  ltr: createCache({ key: "mui" }),
  rtl: createCache({ key: "muirtl", stylisPlugins: [prefixer, rtlPlugin] }),
};

/** Modes by CSS variables, as MUI's documentation advises where switching must be fast. */
export function Page() {
  const direction = directionOf(locale.use(), directionChoice.use());
  const theme = useMemo(
    () =>
      createTheme({
        direction,
        cssVariables: { colorSchemeSelector: "class" },
        colorSchemes: { light: true, dark: true },
        typography: { fontFamily: "Poppins, sans-serif" },
      }),
    [direction],
  );
  return (
    <CacheProvider value={caches[direction]}>
      <ThemeProvider theme={theme} disableTransitionOnChange>
        <CssBaseline />
        <QueuePage />
      </ThemeProvider>
    </CacheProvider>
  );
}

function QueuePage() {
  const page = useQueuePage();
  const mode = themeMode.use();
  const { setMode } = useColorScheme();
  useEffect(() => setMode(mode === "dark" ? "dark" : "light"), [mode, setMode]);
  return (
    <Stack direction="row" sx={{ height: "100dvh" }}>
      <Sidebar page={page} />
      <Stack sx={{ flex: 1, minWidth: 0 }}>
        <Header page={page} />
        <Stack component="main" sx={{ flex: 1, minHeight: 0, p: 2.5, gap: 2, overflow: "auto" }}>
          <Typography variant="h5" component="h1">
            {page.t("menu.queue")} <small>{page.count}</small>
          </Typography>
          <QueueCards page={page} />
          <Card sx={{ display: "flex", flexDirection: "column" }}>
            <Filters page={page} />
            <MessageGrid page={page} />
          </Card>
        </Stack>
      </Stack>
    </Stack>
  );
}
