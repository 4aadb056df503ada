import { readStored } from "./apply-look.ts";
import { look } from "./look.ts";
import { paletteOf } from "./palette.ts";
import { baseColoursOf } from "./presets.ts";

/** Sets the colours of the page: variables of the root element that theme.css builds on. */
export function applyColours(): void {
  const { dataset, style } = document.documentElement;
  const palette = paletteOf(baseColoursOf(readStored(look.colours), dataset["environment"]));
  for (const [variable, colour] of Object.entries(palette)) style.setProperty(variable, colour);
}
