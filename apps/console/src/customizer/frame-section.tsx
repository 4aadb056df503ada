import { useText, type TextKey } from "../i18n/i18n.tsx";
import {
  footerType,
  footerTypes,
  headerType,
  headerTypes,
  isFooterShown,
  layoutType,
  layoutTypes,
  routeTransition,
  routeTransitions,
  type RouteTransition,
} from "../settings.ts";
import { SettingSwitch } from "./setting-switch.tsx";
import { Tiles } from "./tiles.tsx";

const headers = { light: "theme.light", dark: "theme.dark" } as const;
const layouts = { "full-width": "customizer.fullWidth", boxed: "customizer.boxed" } as const;
const footers = { fluid: "customizer.fluid", fixed: "customizer.fixed" } as const;
const transitions: Record<RouteTransition, TextKey> = {
  none: "customizer.transition.none",
  fade: "customizer.transition.fade",
  slideLeft: "customizer.transition.slideLeft",
  slideRight: "customizer.transition.slideRight",
  slideUp: "customizer.transition.slideUp",
  slideDown: "customizer.transition.slideDown",
};

/** What is around the screens: header, width, footer, and how one screen follows another. */
export function FrameSection() {
  const t = useText();
  return (
    <>
      <Tiles
        label={t("customizer.headerType")}
        value={headerType.use()}
        onChange={headerType.set}
        columns="grid-cols-2"
        options={headerTypes.map((type) => ({ value: type, label: t(headers[type]) }))}
      />
      <Tiles
        label={t("customizer.layout")}
        value={layoutType.use()}
        onChange={layoutType.set}
        columns="grid-cols-2"
        options={layoutTypes.map((type) => ({ value: type, label: t(layouts[type]) }))}
      />
      <SettingSwitch label={t("customizer.footer")} isOn={isFooterShown.use()} onChange={isFooterShown.set} />
      <Tiles
        label={t("customizer.footerType")}
        value={footerType.use()}
        onChange={footerType.set}
        columns="grid-cols-2"
        options={footerTypes.map((type) => ({ value: type, label: t(footers[type]) }))}
      />
      <Tiles
        label={t("customizer.transition")}
        value={routeTransition.use()}
        onChange={routeTransition.set}
        columns="grid-cols-3"
        options={routeTransitions.map((transition) => ({ value: transition, label: t(transitions[transition]) }))}
      />
    </>
  );
}
