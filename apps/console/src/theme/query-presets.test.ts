import { expect, test } from "vitest";
import { look, navStyles, tenantKey } from "./look.ts";
import { readQueryPresets } from "./query-presets.ts";

/** What a query stores, by the setting's key. */
const stored = (search: string): Record<string, string> => Object.fromEntries(readQueryPresets(search).stored);

test.each([
  ["mode", "semi-dark", look.mode],
  ["theme_mode", "dark", look.mode],
  ["style", "modern", look.style],
  ["theme_style", "standard", look.style],
  ["rtl", "true", look.direction],
  ["is_rtl", "1", look.direction],
  ["rtl", "false", look.direction],
  ["is_rtl", "0", look.direction],
])("%s=%s sets its setting", (name, value, setting) => {
  const { [setting.key]: text = null, ...others } = stored(`?${name}=${value}`);
  const expected = { true: "rtl", 1: "rtl", false: "ltr", 0: "ltr" }[value] ?? value;
  expect(setting.parse(text)).toBe(expected);
  expect(others).toEqual({});
});

test.each(["layout", "nav_style"])("%s takes every navigation style", (name) => {
  for (const style of navStyles) expect(stored(`?${name}=${style}`)).toEqual({ [look.nav.key]: style });
});

test("active_tenant chooses the tenant that the address is about", () => {
  expect(stored("?active_tenant=acme&key=10023")).toEqual({ [tenantKey]: "acme" });
  expect(readQueryPresets("?active_tenant=acme&key=10023").rest).toBe("?key=10023");
  expect(stored("?active_tenant=")).toEqual({});
});

test.each(["mode=blue", "mode=", "layout=boxed", "nav_style=Mini", "style=dark", "rtl=yes", "is_rtl=", "rtl=constructor", "theme=dark"])(
  "%s is ignored",
  (query) => {
    expect(stored(`?${query}`)).toEqual({});
  },
);

test("an invalid value doesn't take a valid one back, and the last valid one wins", () => {
  expect(stored("?mode=dark&theme_mode=nonsense")).toEqual({ [look.mode.key]: "dark" });
  expect(stored("?mode=dark&theme_mode=light")).toEqual({ [look.mode.key]: "light" });
});

test("presets go from the address, everything else stays", () => {
  expect(readQueryPresets("?mode=dark&key=10023&rtl=nonsense&search=a%26b").rest).toBe("?key=10023&search=a%26b");
  expect(readQueryPresets("?mode=dark").rest).toBe("");
  expect(readQueryPresets("?key=a%20b").rest).toBeNull();
  expect(readQueryPresets("").rest).toBeNull();
});
