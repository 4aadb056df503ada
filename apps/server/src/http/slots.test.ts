import { expect, test } from "vitest";
import type { Principal } from "../access/access.ts";
import { createSlots } from "./slots.ts";

let people = 0;
const someone = (): Principal => ({ kind: "user", userId: (people += 1), sessionId: "", role: "viewer" });

test("one caller leaves room for the others, whichever tenants the work is for", () => {
  const slots = createSlots(8, 5);
  const one = someone();
  const own = [slots.take(1, one), slots.take(2, one)];
  expect(() => slots.take(1, one)).toThrow(expect.objectContaining({ code: "unavailable" }));
  const other = slots.take(1, someone());
  own[0]?.();
  slots.take(1, one)();
  own[1]?.();
  other();
  expect(slots.running).toBe(0);
});

test("one tenant leaves room for another, and gets its room back as its work ends", () => {
  const slots = createSlots(8, 5);
  const own = Array.from({ length: 6 }, () => slots.take(1, someone()));
  expect(() => slots.take(1, someone())).toThrow(expect.objectContaining({ code: "unavailable" }));
  const others = [slots.take(2, someone()), slots.take(3, someone())];
  expect(() => slots.take(4, someone())).toThrow(expect.objectContaining({ code: "unavailable" }));
  own[0]?.();
  // Said twice, it frees nothing of another's.
  own[0]?.();
  expect(slots.running).toBe(7);
  slots.take(1, someone())();
  for (const free of [...own, ...others]) free();
  expect(slots.running).toBe(0);
});
