import { useText } from "../i18n/i18n.tsx";
import { directionChoice, directionOf, locale, themeMode, themeModes, themeStyle, themeStyles } from "../settings.ts";
import { modeLooks } from "../theme/mode-looks.ts";
import { SettingSwitch } from "./setting-switch.tsx";
import { Tiles } from "./tiles.tsx";

const styles = {
  standard: { label: "customizer.standard", corner: "rounded-ss-[4px]" },
  modern: { label: "customizer.modern", corner: "rounded-ss-[24px]" },
} as const;

/** Style, mode and direction. */
export function ThemeSection() {
  const t = useText();
  const isRtl = directionOf(locale.use(), directionChoice.use()) === "rtl";
  return (
    <>
      <Tiles
        label={t("customizer.style")}
        value={themeStyle.use()}
        onChange={themeStyle.set}
        columns="grid-cols-2"
        options={themeStyles.map((style) => ({
          value: style,
          label: t(styles[style].label),
          picture: <span aria-hidden className={`h-6 w-14 border-s-3 border-t-3 border-current ${styles[style].corner}`} />,
        }))}
      />
      <Tiles
        label={t("customizer.mode")}
        value={themeMode.use()}
        onChange={themeMode.set}
        columns="grid-cols-3"
        options={themeModes.map((mode) => {
          const { label, Icon } = modeLooks[mode];
          return { value: mode, label: t(label), picture: <Icon aria-hidden className="size-5" /> };
        })}
      />
      <SettingSwitch label={t("customizer.rtl")} isOn={isRtl} onChange={(isOn) => directionChoice.set(isOn ? "rtl" : "ltr")} />
    </>
  );
}
