import { useText, type TextKey } from "../i18n/i18n.tsx";
import { layoutOf } from "../layouts/layouts.ts";
import { headerType, navStyle, navStyles, type NavStyle } from "../settings.ts";
import { Miniature } from "./miniature.tsx";
import { Tiles } from "./tiles.tsx";

const labels: Record<NavStyle, TextKey> = {
  standard: "customizer.nav.standard",
  default: "customizer.nav.default",
  "mini-sidebar-toggle": "customizer.nav.miniToggle",
  "user-header": "customizer.nav.userHeader",
  "user-mini-header": "customizer.nav.userMiniHeader",
  mini: "customizer.nav.mini",
  drawer: "customizer.nav.drawer",
  "bit-bucket": "customizer.nav.bitBucket",
  "h-default": "customizer.nav.horizontal",
  "hor-light-nav": "customizer.nav.horizontalLight",
  "hor-dark-layout": "customizer.nav.horizontalDark",
};

/** The eleven navigation styles in miniature, in the colours that are set. */
export function NavigationSection() {
  const t = useText();
  const header = headerType.use();
  return (
    <Tiles
      label={t("customizer.navigation")}
      value={navStyle.use()}
      onChange={navStyle.set}
      columns="grid-cols-3"
      options={navStyles.map((style) => ({
        value: style,
        label: t(labels[style]),
        picture: <Miniature layout={layoutOf(style, true, header)} />,
      }))}
    />
  );
}
