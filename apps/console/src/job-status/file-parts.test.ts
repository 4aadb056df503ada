import { expect, test } from "vitest";
import { nextPart } from "./file-parts.ts";

test("no part of a file ends or begins in the middle of a character, and none is lost", () => {
  // At one of two such texts a part's border lies within a character of two code units.
  for (const before of ["", "a"]) {
    const text = `${before}${"🧶".repeat(150_000)}`;
    const parts: string[] = [];
    let rest = text;
    for (let part = nextPart(rest); part !== null; part = nextPart(rest)) {
      parts.push(part);
      rest = rest.slice(part.length);
    }
    parts.push(rest);
    expect(parts.every((part) => part.isWellFormed())).toBe(true);
    expect(parts.join("")).toBe(text);
  }
});
