import { useText, type TextKey } from "../i18n/i18n.tsx";
import { themeColours } from "../settings.ts";
import { contrastOf, parseColour, type Colour } from "../theme/colour.ts";
import { inkOn, type BaseColours } from "../theme/palette.ts";
import { colourPresets } from "../theme/colour-presets.ts";
import { baseColoursOf, writeColours } from "../theme/presets.ts";
import { Tiles } from "./tiles.tsx";

const parts = [
  { part: "primary", label: "customizer.primary" },
  { part: "secondary", label: "customizer.secondary" },
  { part: "sidebar", label: "customizer.sidebar" },
] as const satisfies { part: keyof BaseColours; label: TextKey }[];

/** Twelve sets of colours, and each of the three colours by itself. */
export function ColourSection() {
  const t = useText();
  const colours = themeColours.use();
  const shown = baseColoursOf(colours, document.documentElement.dataset["environment"]);
  return (
    <>
      <Tiles
        label={t("customizer.colours")}
        value={writeColours(colours)}
        onChange={(text) => themeColours.set(colourPresets.find((preset) => writeColours(preset) === text) ?? colours)}
        columns="grid-cols-4"
        options={colourPresets.map((preset, index) => ({
          value: writeColours(preset),
          label: t("customizer.preset", { number: index + 1, primary: preset.primary, secondary: preset.secondary }),
          picture: <Swatch colours={baseColoursOf(preset, document.documentElement.dataset["environment"])} />,
          isLabelHidden: true,
        }))}
      />
      <fieldset className="min-w-0">
        <legend className="mb-2 font-semibold">{t("customizer.ownColours")}</legend>
        <div className="grid gap-2">
          {parts.map(({ part, label }) => (
            <ColourField
              key={part}
              label={t(label)}
              colour={shown[part]}
              onChange={(colour) => themeColours.set({ ...colours, [part]: colour })}
            />
          ))}
        </div>
        <p className="mt-2 text-xs text-muted">{t("customizer.contrastNote")}</p>
      </fieldset>
    </>
  );
}

/** The sidebar with an entry in the primary colour, and a spot in the secondary one. */
function Swatch({ colours: { primary, secondary, sidebar } }: { colours: BaseColours }) {
  return (
    <svg aria-hidden viewBox="0 0 48 28" className="w-full rounded-[4px] ring-1 ring-line forced-color-adjust-none">
      <rect width="48" height="28" rx="4" fill={primary} />
      <path d="M4 0h12v28H4a4 4 0 0 1-4-4V4a4 4 0 0 1 4-4z" fill={sidebar} />
      <circle cx="36" cy="18" r="5.5" fill={secondary} />
    </svg>
  );
}

function ColourField({ label, colour, onChange }: { label: string; colour: Colour; onChange: (colour: Colour) => void }) {
  const t = useText();
  const ink = inkOn(colour);
  const ratio = Math.floor(contrastOf(ink, colour) * 10) / 10;
  return (
    <label className="flex items-center gap-3 rounded-lg has-focus-visible:outline-2 has-focus-visible:outline-(--focus)">
      <input
        type="color"
        value={colour}
        onChange={(event) => {
          const chosen = parseColour(event.target.value);
          if (chosen) onChange(chosen);
        }}
        className="size-9 shrink-0 cursor-pointer rounded-lg border border-field-line bg-paper p-0.5"
      />
      <span className="min-w-0 flex-1">
        <span className="block truncate">{label}</span>
        <code dir="ltr" className="block font-mono text-xs text-muted uppercase rtl:text-right">
          {colour}
        </code>
      </span>
      <span
        title={t("customizer.contrast")}
        className="rounded-lg border border-line px-2 py-1 text-xs font-medium forced-color-adjust-none"
        style={{ background: colour, color: ink }}
      >
        Aa <span dir="ltr">{ratio}:1</span>
      </span>
    </label>
  );
}
