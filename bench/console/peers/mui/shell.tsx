import AppBar from "@mui/material/AppBar";
import Avatar from "@mui/material/Avatar";
import Chip from "@mui/material/Chip";
import Drawer from "@mui/material/Drawer";
import List from "@mui/material/List";
import ListItemButton from "@mui/material/ListItemButton";
import ListItemIcon from "@mui/material/ListItemIcon";
import ListItemText from "@mui/material/ListItemText";
import MenuItem from "@mui/material/MenuItem";
import Select from "@mui/material/Select";
import ToggleButton from "@mui/material/ToggleButton";
import ToggleButtonGroup from "@mui/material/ToggleButtonGroup";
import Toolbar from "@mui/material/Toolbar";
import { Contrast, Inbox, Moon, Sun } from "lucide-react";
import { useUser } from "../../../../apps/console/src/session/session.ts";
import { locale, locales, themeMode } from "../../../../apps/console/src/settings.ts";
import { menu, type useQueuePage } from "../shared/queue-page.ts";

type Part = { page: ReturnType<typeof useQueuePage> };

export function Sidebar({ page: { t, tenant } }: Part) {
  const user = useUser();
  const name = user?.name || user?.email || "";
  return (
    <Drawer variant="permanent" sx={{ width: 304, "& .MuiDrawer-paper": { width: 304 } }}>
      <Toolbar>Crossdock</Toolbar>
      <List>
        <ListItemButton>
          <ListItemIcon>
            <Avatar>{name.charAt(0)}</Avatar>
          </ListItemIcon>
          <ListItemText primary={name} secondary={tenant?.name} />
        </ListItemButton>
        {menu.map(({ url, title }) => (
          <ListItemButton key={url} component="a" href={url} selected={url === "/queue"}>
            <ListItemIcon>
              <Inbox size={18} />
            </ListItemIcon>
            <ListItemText primary={t(title)} />
          </ListItemButton>
        ))}
      </List>
    </Drawer>
  );
}

export function Header({ page: { t } }: Part) {
  const language = locale.use();
  return (
    <AppBar position="static" color="default" elevation={1}>
      <Toolbar variant="dense" sx={{ gap: 2 }}>
        <Chip label="localhost" sx={{ marginInlineEnd: "auto" }} />
        <ToggleButtonGroup
          size="small"
          exclusive
          value={themeMode.use()}
          onChange={(_, mode) => themeMode.set(mode)}
          aria-label={t("customizer.mode")}
        >
          <ToggleButton value="light" aria-label={t("theme.light")}>
            <Sun size={16} />
          </ToggleButton>
          <ToggleButton value="semi-dark" aria-label={t("theme.semiDark")}>
            <Contrast size={16} />
          </ToggleButton>
          <ToggleButton value="dark" aria-label={t("theme.dark")}>
            <Moon size={16} />
          </ToggleButton>
        </ToggleButtonGroup>
        <Select size="small" value={language} onChange={(event) => locale.set(event.target.value)}>
          {locales.map((code) => (
            <MenuItem key={code} value={code}>
              {code}
            </MenuItem>
          ))}
        </Select>
      </Toolbar>
    </AppBar>
  );
}
