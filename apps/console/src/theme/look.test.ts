import { expect, test } from "vitest";
import { directionOf, look, locales } from "./look.ts";
import { colourPresets } from "./colour-presets.ts";
import { defaultColours, parseColours, sidebarOf, writeColours } from "./presets.ts";

test("without a choice the look is the specified default", () => {
  const defaults = Object.fromEntries(Object.entries(look).map(([name, setting]) => [name, setting.parse(null)]));
  expect(defaults).toEqual({
    mode: "semi-dark",
    style: "standard",
    colours: { primary: "#0a8fdc", secondary: "#f04f47", sidebar: null },
    nav: "standard",
    layout: "full-width",
    footer: false,
    footerType: "fluid",
    headerType: "light",
    transition: "none",
    locale: "en",
    direction: null,
  });
});

test("stored nonsense is the default", () => {
  for (const setting of Object.values(look)) expect(setting.parse("nonsense")).toEqual(setting.parse(null));
  expect(parseColours("#0a8fdc red #313541")).toEqual(defaultColours);
});

test("colours survive storage", () => {
  for (const colours of [...colourPresets, { ...defaultColours, sidebar: "#123456" as const }])
    expect(parseColours(writeColours(colours))).toEqual(colours);
});

test("there are twelve presets, no two alike", () => {
  expect(new Set(colourPresets.map(writeColours)).size).toBe(12);
});

test("only the QA environment has a sidebar of its own", () => {
  expect(sidebarOf("QA")).toBe("#001e3c");
  for (const other of ["Development", "Production", "qa-2", undefined]) expect(sidebarOf(other)).toBe("#313541");
});

test("only Arabic runs from right to left, unless overruled", () => {
  expect(locales.filter((locale) => directionOf(locale, null) === "rtl")).toEqual(["ar"]);
  expect(directionOf("ar", "ltr")).toBe("ltr");
  expect(directionOf("en", "rtl")).toBe("rtl");
});
