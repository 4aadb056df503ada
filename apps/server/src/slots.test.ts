import { expect, test } from "vitest";
import { createSlots } from "./slots.ts";

test("one tenant leaves room for another, and gets its room back as its work ends", () => {
  const slots = createSlots(8, 5);
  const own = Array.from({ length: 6 }, () => slots.take(1));
  expect(() => slots.take(1)).toThrow(expect.objectContaining({ code: "unavailable" }));
  const others = [slots.take(2), slots.take(3)];
  expect(() => slots.take(4)).toThrow(expect.objectContaining({ code: "unavailable" }));
  own[0]?.();
  // Said twice, it frees nothing of another's.
  own[0]?.();
  expect(slots.running).toBe(7);
  slots.take(1)();
  for (const free of [...own, ...others]) free();
  expect(slots.running).toBe(0);
});
