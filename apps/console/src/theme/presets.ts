import { parseColour, type Colour } from "./colour.ts";
import type { BaseColours } from "./palette.ts";

/** The chosen colours; a sidebar of null has the colour of the environment. */
export type Colours = Omit<BaseColours, "sidebar"> & { sidebar: Colour | null };

export const defaultColours: Colours = { primary: "#0a8fdc", secondary: "#f04f47", sidebar: null };

export const colourPresets: Colours[] = [
  defaultColours,
  { primary: "#905eae", secondary: "#2d755a", sidebar: null },
  { primary: "#266bb0", secondary: "#587527", sidebar: null },
  { primary: "#f0464d", secondary: "#00b6ef", sidebar: null },
  { primary: "#639f52", secondary: "#7c4d30", sidebar: null },
  { primary: "#ffd955", secondary: "#c4476d", sidebar: null },
  { primary: "#fd933a", secondary: "#5a63c8", sidebar: null },
  { primary: "#03a9f4", secondary: "#ffc107", sidebar: null },
  { primary: "#03a9f4", secondary: "#ff80ab", sidebar: null },
  { primary: "#3f51b5", secondary: "#2196f3", sidebar: "#ffc107" },
  { primary: "#9c27b0", secondary: "#ffca28", sidebar: null },
  { primary: "#673ab7", secondary: "#2196f3", sidebar: null },
];

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
