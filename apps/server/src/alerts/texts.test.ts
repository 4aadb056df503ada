import type { Alert, AlertDetails, AlertKind } from "@crossdock/contract";
import { expect, test } from "vitest";
import { readFailure } from "../runs/line-text.ts";
import { languages } from "./languages.ts";
import { mailOf } from "./texts.ts";

/** The first line of a mail about one alert, of a job that failed unless another kind is named. */
function told(locale: string, details: AlertDetails, kind: AlertKind = "job-failed"): string {
  const at = "2026-11-02T08:00:00Z";
  const alert: Alert = {
    id: 1,
    kind,
    state: "firing",
    isQuiet: false,
    ruleId: 1,
    subtenant: null,
    queueId: null,
    value: 1,
    threshold: 1,
    details,
    since: at,
    firedAt: at,
    snoozedUntil: null,
    recoveredAt: null,
    owner: null,
    version: 1,
  };
  return mailOf(locale, { code: "acme", name: "Acme" }, [{ change: "fired", alert }], null).text.split("\n")[0] ?? "";
}
const because = (fault: string): AlertDetails => ({ fault, failure: readFailure(fault) });

test("a mail tells in its language why a run failed, and at which line of its file", () => {
  expect(told("es", { name: "Shop", ...because("the system gives the same page again and again") })).toBe(
    "Shop ha fallado. El sistema da la misma página una y otra vez.",
  );
  expect(told("fr", { name: "Shop", ...because("line 3: 5 cells, but 4 columns") })).toBe(
    "Shop a échoué. Ligne 3 : 5 cellules, mais 4 colonnes",
  );
  expect(told("en", { name: "Shop", ...because("line 3: 5 cells, but 4 columns") })).toBe("Shop failed. Line 3: 5 cells, but 4 columns");
});

test("what another system said stands in a mail as it was said", () => {
  expect(told("it", { name: "Shop", ...because("HTTP 503 {id}") })).toBe("Shop è fallito. HTTP 503 {id}");
  expect(told("it", { name: "Shop", ...because("the target could not be read: HTTP 503") })).toBe(
    "Shop è fallito. Non è stato possibile leggere la destinazione: HTTP 503",
  );
});

test("a mail calls a bulk operation by its number in its language", () => {
  expect(told("es", { name: "requeue 17", jobId: 17, ...because("HTTP 503") })).toBe("Trabajo 17 ha fallado. HTTP 503");
});

test("a mail counts one as it counts many", () => {
  const details = { name: "Shop" };
  expect(told("en", details, "dead-letters")).toBe("Shop, deadletters that wait for a person: 1 (limit 1).");
  expect(told("fr", details, "dead-letters-rising")).toBe("Shop, messages passés en échec récemment : 1 (limite 1).");
  expect(told("es", details, "queue-age")).toBe("Shop: el mensaje más antiguo espera desde hace 1 min (límite 1 min).");
});

test("no line of a mail begins with French punctuation, and its apostrophes are those of print", () => {
  const textsIn = (part: object | string): string[] => (typeof part === "string" ? [part] : Object.values(part).flatMap(textsIn));
  expect(textsIn(languages).filter((text) => / [:;?!»]|« |\p{L}'\p{L}/u.test(text))).toEqual([]);
});

test("names that a mail lists are joined as its language joins them", () => {
  const details = { name: "https://shop.example", points: ["Shop", "Lager"], waiting: 900 };
  expect(told("it", details, "circuit-open")).toContain("Punti di integrazione: Shop e Lager.");
  expect(told("zh", details, "circuit-open")).toContain("集成点：Shop和Lager。");
  expect(told("ar", details, "circuit-open")).toContain("نقاط التكامل: \u2068Shop\u2069 و\u2068Lager\u2069.");
});

test("a mail about a target says what it answers, and that it doesn't answer only where it doesn't", () => {
  const details = { name: "https://shop.example", points: ["Shop"], waiting: 900 };
  const failing = (errorClass: string, status: number | null): string =>
    told("en", { ...details, circuitFault: { since: "2026-11-02T08:00:00Z", messageId: "17", errorClass, status } }, "circuit-open");
  expect(failing("http-500", 500)).toMatch(/^https:\/\/shop.example answers with HTTP 500\./);
  expect(failing("throttled", 200)).toMatch(/^https:\/\/shop.example answers with throttled\./);
  expect(failing("timeout", null)).toMatch(/^https:\/\/shop.example doesn’t answer\./);
});
