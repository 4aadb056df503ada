import type { Alert, AlertDetails, AlertKind, EntityType } from "@crossdock/contract";
import { languages, type Language } from "./languages.ts";

export type Change = "fired" | "woken" | "recovered";
export type Told = { change: Change; alert: Alert };
export type Place = { code: string | null; name: string };

type MailText = { subject: string; text: string };

const languageOf = (locale: string): Language => languages[locale] ?? languages.en;

const fill = (text: string, values: Record<string, string | number>): string =>
  text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ""));

/** A notice as a mail in the recipient's language. */
export function mailOf(locale: string, place: Place, told: readonly Told[], link: string | null): MailText {
  const language = languageOf(locale);
  const lines = told.map((one) => lineOf(locale, language, one));
  const [first] = told;
  const single = first ? { title: language.titles[first.alert.kind], tenant: place.name } : null;
  const subject =
    told.length === 1 && first && single
      ? fill(first.change === "recovered" ? language.over : language.fired, single)
      : fill(language.many, { count: String(told.length), tenant: place.name });
  const parts = [lines.join("\n\n"), ...(link === null ? [] : [`${language.open} ${link}`]), language.why];
  return { subject, text: parts.join("\n\n") };
}

/** What the test button sends. */
export function testMailOf(locale: string, place: Place): MailText {
  const language = languageOf(locale);
  const tenant = { tenant: place.name };
  return { subject: fill(language.testSubject, tenant), text: fill(language.testText, tenant) };
}

/** A name runs in its own direction; only a line from right to left has to be told so (Unicode isolates). */
const isolatedIn = (locale: string) => (name: string) => (locale === "ar" ? `\u2068${name}\u2069` : name);

function lineOf(locale: string, language: Language, { change, alert }: Told): string {
  const { details } = alert;
  const answer = answerOf(details);
  const isolated = isolatedIn(locale);
  const values = {
    name:
      (details.jobId === undefined ? isolated(details.name ?? "") : fill(language.job, { id: String(details.jobId) })) +
      (alert.kind === "job-failed" && details.entityType ? ` · ${entityName(language, details.entityType)}` : ""),
    value: number(locale, alert.value),
    limit: number(locale, alert.threshold),
    waiting: number(locale, details.waiting ?? 0),
    points: list(locale, (details.points ?? []).map(isolated)),
    tenants: list(
      locale,
      (details.tenants ?? []).map(({ name }) => isolated(name)),
    ),
    subtenant: isolated(alert.subtenant?.name ?? ""),
    entity: details.entityType ? entityName(language, details.entityType) : "",
    usual: number(locale, details.usualPerHour ?? 0),
    fault: isolated(faultOf(language, details)),
    answer: answer === null ? "" : isolated(answer),
  };
  const at = change === "recovered" ? (alert.recoveredAt ?? alert.firedAt) : alert.since;
  const sentence = fill(sentenceOf(language, alert.kind, answer !== null), values).trim();
  const where = alert.subtenant && !sentence.includes(alert.subtenant.name) ? `${alert.subtenant.name} · ` : "";
  const when = fill(change === "recovered" ? language.overSince : language.since, { time: time(locale, at) });
  return `${where}${sentence}\n${when}`;
}

/** What no language has words for, such as what another system said, is told as it was kept. */
function faultOf({ endings }: Language, { fault = "", failure }: AlertDetails): string {
  const { reason, values = {}, line } = failure ?? {};
  const text = Object.entries(endings).find(([ending]) => ending === reason)?.[1];
  if (text === undefined) return fault;
  const said = fill(text, values);
  return line === undefined ? said : `${fill(endings.line, { line: String(line) })} ${said}`;
}

/** What a target answers that fails; null where it doesn't answer. Behind a good status the fault stands in the body. */
function answerOf({ circuitFault: fault }: AlertDetails): string | null {
  if (fault?.status == null) return null;
  return fault.status < 400 ? fault.errorClass : `HTTP ${fault.status}`;
}

function sentenceOf({ sentences, answers }: Language, kind: AlertKind, isAnswering: boolean): string {
  return isAnswering && (kind === "circuit-open" || kind === "outage") ? answers[kind] : sentences[kind];
}

const entityName = (language: Language, type: EntityType): string => language.entities[type];
const number = (locale: string, value: number): string => new Intl.NumberFormat(locale, { maximumFractionDigits: 1 }).format(value);
const list = (locale: string, names: readonly string[]): string => new Intl.ListFormat(locale).format(names);

/** With its zone, as the reader may be anywhere. */
function time(locale: string, at: string): string {
  const format = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" });
  return `${format.format(new Date(at))} UTC`;
}
