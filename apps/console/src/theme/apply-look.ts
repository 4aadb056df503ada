import { look, type Setting } from "./look.ts";
import { paletteOf } from "./palette.ts";
import { baseColoursOf } from "./presets.ts";

export function readStored<T>({ key, parse }: Setting<T>): T {
  return parse(localStorage.getItem(key));
}

/** Gives the page its colours, mode and style: attributes and variables of the root element that theme.css builds on. */
export function applyLook(): void {
  const { dataset, style } = document.documentElement;
  dataset["mode"] = readStored(look.mode);
  dataset["style"] = readStored(look.style);
  const palette = paletteOf(baseColoursOf(readStored(look.colours), dataset["environment"]));
  for (const [variable, colour] of Object.entries(palette)) style.setProperty(variable, colour);
}
