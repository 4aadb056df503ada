import { expect, test } from "vitest";
import { newPasswordMistakes } from "./new-password.ts";

test("a new password is measured as the server measures it: an emoji is one character", () => {
  expect(newPasswordMistakes("😀".repeat(5), "😀".repeat(5))).toEqual({ password: "validation.passwordLength", retype: null });
  expect(newPasswordMistakes("😀".repeat(10), "")).toEqual({ password: null, retype: "validation.retypeRequired" });
});
