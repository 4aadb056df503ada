import { look, type Setting } from "./look.ts";
import { paletteOf } from "./palette.ts";
import { baseColoursOf } from "./presets.ts";

export function readStored<T>({ key, parse }: Setting<T>): T {
  return parse(localStorage.getItem(key));
}

/** Sets mode and style of the page: attributes of the root element that theme.css knows. */
export function applyMode(): void {
  const { dataset } = document.documentElement;
  dataset["mode"] = readStored(look.mode);
  dataset["style"] = readStored(look.style);
}

/** Sets the colours of the page: variables of the root element that theme.css builds on. */
export function applyColours(): void {
  const { dataset, style } = document.documentElement;
  const palette = paletteOf(baseColoursOf(readStored(look.colours), dataset["environment"]));
  for (const [variable, colour] of Object.entries(palette)) style.setProperty(variable, colour);
}
