import { defaultColours, type Colours } from "./presets.ts";

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
