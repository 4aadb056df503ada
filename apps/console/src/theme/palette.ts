import { contrastOf, isReadable, mix, type Colour } from "./colour.ts";

type Mode = {
  paper: Colour;
  page: Colour;
  /** Inks of theme.css that may stand on an accent's soft ground. */
  inks: Colour[];
  /** Where an accent ends that moves away from the grounds. */
  extreme: Colour;
  /** Most of the accent in its soft ground. */
  softShare: number;
  /** What lies over a ground under the pointer. */
  hover: { colour: Colour; share: number };
};

/** The modes as theme.css has them, for computing what can be read on them. */
export const modes = {
  light: {
    paper: "#ffffff",
    page: "#f4f7fe",
    inks: ["#1f2633", "#596274", "#17683a", "#845000", "#b3261e", "#0b5a8f"],
    extreme: "#000000",
    softShare: 0.13,
    hover: { colour: "#1f2633", share: 0.05 },
  },
  dark: {
    paper: "#313541",
    page: "#393d4b",
    inks: ["#f2f4f9", "#bcc3d0", "#86e0ab", "#ffca78", "#ffaaa3", "#95d2fb"],
    extreme: "#ffffff",
    softShare: 0.24,
    hover: { colour: "#ffffff", share: 0.06 },
  },
} satisfies Record<string, Mode>;

const white: Colour = "#ffffff";
const black: Colour = "#000000";
/** Softer than black, and taken instead where it can be read. */
const night: Colour = "#10141c";

/** Text on a coloured ground: white where it can be read, else dark. One of the two always can. */
export function inkOn(ground: Colour): Colour {
  return [white, night].find((ink) => isReadable(ink, [ground])) ?? black;
}

/** `ground` alone and under the pointer. */
export function withHover({ hover }: Mode, ground: Colour): Colour[] {
  return [ground, mix(ground, hover.colour, hover.share)];
}

/**
 * An accent colour as text (`ink`: on paper, page and its own soft ground) and as a ground on which the mode's
 * inks can be read (`soft`). Both stay as near to the accent as legibility lets them.
 */
export function accentIn(mode: Mode, accent: Colour): { ink: Colour; soft: Colour } {
  const soft = closest(accent, mode.paper, 1 - mode.softShare, (ground) =>
    mode.inks.every((ink) => isReadable(ink, withHover(mode, ground))),
  );
  const grounds = [mode.paper, mode.page, soft].flatMap((ground) => withHover(mode, ground));
  return { soft, ink: closest(accent, mode.extreme, 0, (ink) => isReadable(ink, grounds)) };
}

/** The first mix of `from` with at least a share of `to` that suits; `to` itself suits always. */
function closest(from: Colour, to: Colour, leastShare: number, suits: (mixed: Colour) => boolean): Colour {
  for (let percent = Math.round(leastShare * 100); percent < 100; percent++) {
    const mixed = mix(from, to, percent / 100);
    if (suits(mixed)) return mixed;
  }
  return to;
}

type Ground = {
  ink: Colour;
  muted: Colour;
  line: Colour;
  hover: Colour;
  /** Fill of the chosen entry, and the text on it. */
  active: Colour;
  onActive: Colour;
};

/** A fill that differs less than this from its ground can't be seen. */
const visibleContrast = 1.25;

/** What stands on a coloured ground such as the sidebar. The chosen entry is filled with the wanted colour where that can be seen. */
export function groundOf(ground: Colour, wantedActive: Colour): Ground {
  const ink = inkOn(ground);
  // Under the pointer a ground comes nearer to its ink; where that costs legibility it goes the other way.
  const nearer = mix(ground, ink, 0.09);
  const hover = isReadable(ink, [nearer]) ? nearer : mix(ground, ink === white ? black : white, 0.14);
  const isActiveVisible = contrastOf(wantedActive, ground) >= visibleContrast;
  return {
    ink,
    muted: closest(ground, ink, 0.7, (muted) => isReadable(muted, [ground, hover])),
    line: mix(ground, ink, 0.16),
    hover,
    active: isActiveVisible ? wantedActive : ink,
    onActive: isActiveVisible ? inkOn(wantedActive) : ground,
  };
}

export type BaseColours = { primary: Colour; secondary: Colour; sidebar: Colour };

/** Every colour of theme.css that follows from the three chosen ones, by the name of its CSS variable. */
export function paletteOf({ primary, secondary, sidebar }: BaseColours): Record<string, Colour> {
  return {
    ...accentVariables("primary", primary),
    ...accentVariables("secondary", secondary),
    ...groundVariables("bright", primary, white),
    ...groundVariables("deep", sidebar, primary),
  };
}

function accentVariables(name: string, accent: Colour): Record<string, Colour> {
  const [light, dark] = [accentIn(modes.light, accent), accentIn(modes.dark, accent)];
  return {
    [`--${name}`]: accent,
    [`--on-${name}`]: inkOn(accent),
    [`--${name}-hover`]: groundOf(accent, accent).hover,
    [`--${name}-ink-light`]: light.ink,
    [`--${name}-soft-light`]: light.soft,
    [`--${name}-ink-dark`]: dark.ink,
    [`--${name}-soft-dark`]: dark.soft,
  };
}

function groundVariables(name: string, colour: Colour, wantedActive: Colour): Record<string, Colour> {
  const ground = groundOf(colour, wantedActive);
  return {
    [`--ground-${name}`]: colour,
    [`--ground-${name}-ink`]: ground.ink,
    [`--ground-${name}-muted`]: ground.muted,
    [`--ground-${name}-line`]: ground.line,
    [`--ground-${name}-hover`]: ground.hover,
    [`--ground-${name}-active`]: ground.active,
    [`--ground-${name}-on-active`]: ground.onActive,
  };
}
