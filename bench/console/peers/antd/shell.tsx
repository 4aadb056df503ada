import { Avatar, Flex, Layout, Menu, Radio, Select, Tag, theme } from "antd";
import { Contrast, Inbox, Moon, Sun } from "lucide-react";
import { useUser } from "../../../../apps/console/src/session/session.ts";
import { locale, locales, themeMode } from "../../../../apps/console/src/settings.ts";
import { menu, type useQueuePage } from "../shared/queue-page.ts";

type Part = { page: ReturnType<typeof useQueuePage> };

export function Sidebar({ page: { t, tenant } }: Part) {
  const user = useUser();
  const name = user?.name || user?.email || "";
  const isDark = themeMode.use() !== "light";
  return (
    <Layout.Sider width={304} theme={isDark ? "dark" : "light"}>
      <Flex gap={12} align="center" style={{ padding: 20 }}>
        <Avatar>{name.charAt(0)}</Avatar>
        {name} {tenant?.name}
      </Flex>
      <Menu
        mode="inline"
        theme={isDark ? "dark" : "light"}
        selectedKeys={["/queue"]}
        items={menu.map(({ url, title }) => ({ key: url, icon: <Inbox size={18} />, label: <a href={url}>{t(title)}</a> }))}
      />
    </Layout.Sider>
  );
}

export function Header({ page: { t } }: Part) {
  const { token } = theme.useToken();
  return (
    <Layout.Header style={{ height: 56, paddingInline: 20, background: token.colorBgContainer }}>
      <Flex gap={16} align="center" style={{ height: 56 }}>
        <Tag style={{ marginInlineEnd: "auto" }}>localhost</Tag>
        <Radio.Group value={themeMode.use()} onChange={(event) => themeMode.set(event.target.value)} aria-label={t("customizer.mode")}>
          <Radio.Button value="light" aria-label={t("theme.light")}>
            <Sun size={16} />
          </Radio.Button>
          <Radio.Button value="semi-dark" aria-label={t("theme.semiDark")}>
            <Contrast size={16} />
          </Radio.Button>
          <Radio.Button value="dark" aria-label={t("theme.dark")}>
            <Moon size={16} />
          </Radio.Button>
        </Radio.Group>
        <Select
          value={locale.use()}
          onChange={(code) => locale.set(code)}
          options={locales.map((code) => ({ value: code, label: code }))}
        />
      </Flex>
    </Layout.Header>
  );
}
