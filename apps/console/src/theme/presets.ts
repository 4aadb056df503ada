import { parseColour, type Colour } from "./colour.ts";
import type { BaseColours } from "./palette.ts";

/** The chosen colours; a sidebar of null has the colour of the environment. */
export type Colours = Omit<BaseColours, "sidebar"> & { sidebar: Colour | null };

export const defaultColours: Colours = { primary: "#0a8fdc", secondary: "#f04f47", sidebar: null };

/** A sidebar of its own colour tells the QA environment from the others at a glance. */
export function sidebarOf(environment: string | undefined): Colour {
  return environment === "QA" ? "#001e3c" : "#313541";
}

/** The colours as they are shown. */
export function baseColoursOf(colours: Colours, environment: string | undefined): BaseColours {
  return { ...colours, sidebar: colours.sidebar ?? sidebarOf(environment) };
}

export function parseColours(text: string | null): Colours {
  const [primary, secondary, sidebar] = (text ?? "").split(" ").map(parseColour);
  return primary && secondary ? { primary, secondary, sidebar: sidebar ?? null } : defaultColours;
}

export function writeColours({ primary, secondary, sidebar }: Colours): string {
  return [primary, secondary, sidebar ?? "environment"].join(" ");
}
