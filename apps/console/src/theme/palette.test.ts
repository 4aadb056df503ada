import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { contrastAA, contrastOf, mix, parseColour, type Colour } from "./colour.ts";
import { accentIn, groundOf, inkOn, modes, paletteOf, withHover } from "./palette.ts";

const runs = { numRuns: 2000 };
const anyColour = fc.integer({ min: 0, max: 0xffffff }).map((value): Colour => `#${value.toString(16).padStart(6, "0")}`);
const anyMode = fc.constantFrom(modes.light, modes.dark);
const css = readFileSync(new URL("../theme.css", import.meta.url), "utf8");

/** What can't be read, of every ink on every ground. */
function unreadable(inks: Colour[], grounds: Colour[]): string[] {
  const pairs = inks.flatMap((ink) => grounds.map((ground) => ({ ink, ground })));
  return pairs.filter(({ ink, ground }) => contrastOf(ink, ground) < contrastAA).map(({ ink, ground }) => `${ink} on ${ground}`);
}

/** Variables of a mode as theme.css sets them. */
function variablesOf(selector: string): (name: string) => Colour {
  const start = css.indexOf(`${selector} {`);
  const block = css.slice(start, css.indexOf("}", start));
  return (name) => {
    const value = new RegExp(`--${name}: (#[0-9a-f]+);`).exec(block)?.[1] ?? "";
    return (
      parseColour(value.length === 4 ? value.replaceAll(/[0-9a-f]/g, "$&$&") : value) ?? expect.unreachable(`${selector} ${name}: ${value}`)
    );
  };
}
const styleSheets = [
  { mode: modes.light, variable: variablesOf(":root") },
  { mode: modes.dark, variable: variablesOf(':root[data-mode="dark"]') },
];

test("text on any colour can be read", () => {
  fc.assert(
    fc.property(anyColour, (ground) => {
      expect(unreadable([inkOn(ground)], [ground])).toEqual([]);
    }),
    runs,
  );
});

test("any accent can be read as text on the grounds of a mode, its own soft ground included, under the pointer too", () => {
  fc.assert(
    fc.property(anyMode, anyColour, (mode, accent) => {
      const { ink, soft } = accentIn(mode, accent);
      const grounds = [mode.paper, mode.page, soft].flatMap((ground) => withHover(mode, ground));
      expect(unreadable([ink], grounds)).toEqual([]);
    }),
    runs,
  );
});

test("the soft ground of any accent keeps a mode's inks readable", () => {
  fc.assert(
    fc.property(anyMode, anyColour, (mode, accent) => {
      const { soft } = accentIn(mode, accent);
      expect(unreadable(mode.inks, withHover(mode, soft))).toEqual([]);
    }),
    runs,
  );
});

test("on any sidebar everything can be read, and the chosen entry stands out", () => {
  fc.assert(
    fc.property(anyColour, anyColour, (ground, primary) => {
      const { ink, muted, hover, active, onActive } = groundOf(ground, primary);
      expect(unreadable([ink, muted], [ground, hover])).toEqual([]);
      expect(unreadable([onActive], [active])).toEqual([]);
      expect(hover).not.toBe(ground);
      expect(contrastOf(active, ground)).toBeGreaterThanOrEqual(1.25);
    }),
    runs,
  );
});

test("an accent that can be read already stays as it is", () => {
  expect(accentIn(modes.light, "#0b4f8a").ink).toBe("#0b4f8a");
  expect(accentIn(modes.dark, "#ffe9a0").ink).toBe("#ffe9a0");
});

test("white is preferred on a coloured ground, dark is taken where white can't be read", () => {
  expect(inkOn("#3f51b5")).toBe("#ffffff");
  expect(inkOn("#0a8fdc")).toBe("#10141c");
  expect(inkOn("#777777")).toBe("#000000");
});

test("every variable is a colour, and the chosen ones come first hand", () => {
  const palette = paletteOf({ primary: "#ffd955", secondary: "#c4476d", sidebar: "#001e3c" });
  expect(palette).toMatchObject({
    "--primary": "#ffd955",
    "--secondary": "#c4476d",
    "--ground-deep": "#001e3c",
    "--ground-bright": "#ffd955",
  });
  for (const value of Object.values(palette)) expect(parseColour(value)).toBe(value);
});

test("the modes that legibility is computed for are those of the style sheet", () => {
  for (const { mode, variable } of styleSheets) {
    expect([variable("page"), variable("paper")]).toEqual([mode.page, mode.paper]);
    expect(["ink", "muted", "ok", "warn", "bad", "info"].map(variable)).toEqual(mode.inks);
  }
});

test("the style sheet's own inks can be read wherever they stand, and field borders be seen", () => {
  for (const { mode, variable } of styleSheets) {
    const grounds = [mode.paper, mode.page].flatMap((ground) => withHover(mode, ground));
    expect(unreadable(mode.inks, grounds)).toEqual([]);
    for (const tone of ["ok", "warn", "bad", "info"]) expect(unreadable([variable(tone)], [variable(`${tone}-soft`)])).toEqual([]);
    for (const ground of [mode.paper, mode.page]) expect(contrastOf(variable("field-line"), ground)).toBeGreaterThanOrEqual(3);
  }
});

test("a mix is what a translucent layer looks like", () => {
  expect(mix("#000000", "#ffffff", 0.5)).toBe("#808080");
  expect(mix("#102030", "#ffffff", 0)).toBe("#102030");
  expect(mix("#102030", "#a0b0c0", 1)).toBe("#a0b0c0");
});
