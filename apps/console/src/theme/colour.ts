/** A colour as `#rrggbb`, in lower case. */
export type Colour = `#${string}`;

const pattern = /^#[0-9a-f]{6}$/;

export function parseColour(text: string): Colour | null {
  const lower = text.toLowerCase();
  return isColour(lower) ? lower : null;
}

function isColour(text: string): text is Colour {
  return pattern.test(text);
}

/** Least contrast of text with its ground: WCAG 2.2, success criterion 1.4.3, level AA. */
export const contrastAA = 4.5;

/** Contrast of two colours from 1 to 21: https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
export function contrastOf(one: Colour, other: Colour): number {
  const [a, b] = [luminanceOf(one), luminanceOf(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

/** Whether text in the ink can be read on every one of the grounds. */
export function isReadable(ink: Colour, grounds: Colour[]): boolean {
  return grounds.every((ground) => contrastOf(ink, ground) >= contrastAA);
}

/** `base` with a share from 0 to 1 of `other`, as a translucent layer of `other` looks on it. */
export function mix(base: Colour, other: Colour, share: number): Colour {
  const [from, to] = [channelsOf(base), channelsOf(other)];
  const mixed = from.map((value, channel) => Math.round(value + ((to[channel] ?? value) - value) * share));
  return `#${mixed.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}

/** https://www.w3.org/TR/WCAG22/#dfn-relative-luminance */
function luminanceOf(colour: Colour): number {
  const [red = 0, green = 0, blue = 0] = channelsOf(colour).map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function channelsOf(colour: Colour): number[] {
  return [1, 3, 5].map((start) => Number.parseInt(colour.slice(start, start + 2), 16));
}
