import { Card, ConfigProvider, Layout, theme, Typography } from "antd";
import { directionChoice, directionOf, locale, themeMode } from "../../../../apps/console/src/settings.ts";
import { useQueuePage } from "../shared/queue-page.ts";
import { Filters } from "./filters.tsx";
import { MessageTable } from "./message-table.tsx";
import { QueueCards } from "./queue-cards.tsx";
import { Header, Sidebar } from "./shell.tsx";

/** Modes by antd's algorithms, whose tokens are CSS variables since its version 6. */
export function Page() {
  const direction = directionOf(locale.use(), directionChoice.use());
  const algorithm = themeMode.use() === "dark" ? theme.darkAlgorithm : theme.defaultAlgorithm;
  return (
    <ConfigProvider direction={direction} theme={{ algorithm, token: { fontFamily: "Poppins, sans-serif" } }}>
      <QueuePage />
    </ConfigProvider>
  );
}

function QueuePage() {
  const page = useQueuePage();
  return (
    <Layout style={{ height: "100dvh" }}>
      <Sidebar page={page} />
      <Layout>
        <Header page={page} />
        <Layout.Content style={{ padding: 20, overflow: "auto" }}>
          <Typography.Title level={1} style={{ fontSize: 20 }}>
            {page.t("menu.queue")} <small>{page.count}</small>
          </Typography.Title>
          <QueueCards page={page} />
          <Card>
            <Filters page={page} />
            <MessageTable page={page} />
          </Card>
        </Layout.Content>
      </Layout>
    </Layout>
  );
}
