import { look, type Setting } from "./look.ts";

export function readStored<T>({ key, parse }: Setting<T>): T {
  return parse(localStorage.getItem(key));
}

/** Sets mode and style of the page: attributes of the root element that theme.css knows. */
export function applyMode(): void {
  const { dataset } = document.documentElement;
  dataset["mode"] = readStored(look.mode);
  dataset["style"] = readStored(look.style);
}
