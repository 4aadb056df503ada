import { readFileSync } from "node:fs";
import { ApiError } from "../errors/errors.ts";
import { hashPassword, spelled } from "./passwords.ts";

/**
 * Passwords that turn up most in published leaks, and the words that people build theirs on: those of ten characters and more, and the
 * commonest shorter ones. Taken from the list of @zxcvbn-ts/language-common 4.1.3 (MIT).
 */
const common = new Set(readFileSync(new URL("common-passwords.txt", import.meta.url), "utf8").split("\n"));

/** How many characters must remain of a password when everything easy to guess is taken away. */
const restLengthMin = 5;

/** Throws password-common for a password that would be guessed early. `about`: what is known about the person, such as name and email. */
export function checkNewPassword(password: string, about: string[] = []): void {
  const lower = spelled(password).toLowerCase();
  const own = ["crossdock", ...about.flatMap((text) => text.toLowerCase().split(/[^\p{L}\p{N}]+/u))].filter((word) => word.length >= 4);
  const rest = own.reduce((left, word) => left.replaceAll(word, ""), lower);
  const forms = [lower, coreOf(lower), plain(lower), plain(coreOf(lower)), coreOf(plain(lower))];
  const isGuessed = forms.some((form) => common.has(form)) || isPattern(lower);
  if (isGuessed || (rest !== lower && coreOf(rest).length < restLengthMin)) throw new ApiError("password-common");
}

/** "password" for "password123!", the digits and signs that are put around a word. */
function coreOf(text: string): string {
  return text.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, "");
}

const lookalikes: Record<string, string> = { "0": "o", "1": "l", "3": "e", "4": "a", "5": "s", "7": "t", "@": "a", $: "s", "!": "i" };

/** "password" for "p4$$w0rd". */
function plain(text: string): string {
  return text.replace(/[013457@$!]/g, (sign) => lookalikes[sign] ?? sign);
}

/** One short piece over and over, or characters in their order. */
function isPattern(text: string): boolean {
  const isRepeated = [1, 2, 3, 4, 5].some(
    (length) =>
      text ===
      text
        .slice(0, length)
        .repeat(Math.ceil(text.length / length))
        .slice(0, text.length),
  );
  const codes = Array.from({ length: text.length }, (_, index) => text.charCodeAt(index));
  const steps = new Set(codes.slice(1).map((code, index) => code - (codes[index] ?? 0)));
  const [step = 0] = steps;
  return isRepeated || (steps.size === 1 && Math.abs(step) <= 1);
}

/** The hash to keep of a newly chosen password. Throws password-common. */
export function hashNewPassword(password: string, about: string[] = []): Promise<string> {
  checkNewPassword(password, about);
  return hashPassword(password);
}
