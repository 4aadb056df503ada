import type { Alert, AlertEvent, AlertKind } from "@crossdock/contract";
import { useIntl } from "react-intl";
import { answerOf } from "../targets/circuit-fault.ts";
import { entityTypeText } from "../entity-types.ts";
import { useText, type TextKey } from "../i18n/i18n.tsx";

const sayings: Record<AlertKind, TextKey> = {
  "dead-letters": "alerts.say.deadLetters",
  "dead-letters-rising": "alerts.say.rising",
  "queue-age": "alerts.say.queueAge",
  "circuit-open": "alerts.say.circuit",
  "job-failed": "alerts.say.job",
  silence: "alerts.say.silence",
  "order-unshipped": "alerts.say.order",
  "stock-stale": "alerts.say.stock",
  outage: "alerts.say.outage",
};

/** A name runs in its own direction and leaves that of the sentence alone (Unicode isolates). */
const isolated = (name: string): string => `\u2068${name}\u2069`;

/** Said where a target answers, but with nothing that is of use. */
const answeringSayings: Partial<Record<AlertKind, TextKey>> = {
  "circuit-open": "alerts.say.circuitAnswers",
  outage: "alerts.say.outageAnswers",
};

/** Of what is over it can't be said that it goes on, nor that the target is well again: it may be paused, or its rule switched off. */
const overSayings: Partial<Record<AlertKind, TextKey>> = { "circuit-open": "alerts.say.circuitOver", outage: "alerts.say.outageOver" };

type Said = Pick<Alert, "kind" | "value" | "details"> &
  Partial<Pick<Alert, "state" | "isQuiet">> & { subtenant: Pick<NonNullable<Alert["subtenant"]>, "name"> | null };

/** What an alert has to say, in one sentence. */
export function useSaying(): (alert: Said) => string {
  const t = useText();
  const { formatList, formatNumber, locale } = useIntl();
  // Where direction is found out by the first letter, a name at the start would decide for the sentence.
  const mark = locale.startsWith("ar") ? "\u200f" : "";
  return ({ kind, value, details, subtenant, state, isQuiet = false }) => {
    const { name = "", points = [], tenants = [], waiting = 0, entityType = "", usualPerHour = 0, fault = "", jobId } = details;
    const answer = answerOf(details.circuitFault);
    const isOver = isQuiet || state === "recovered";
    const saying = (isOver ? overSayings[kind] : answer === null ? undefined : answeringSayings[kind]) ?? sayings[kind];
    const sentence = t(saying, {
      name:
        jobId === undefined
          ? isolated(name) + (kind === "job-failed" && entityType ? ` · ${entityTypeText(t, entityType)}` : "")
          : t("jobs.one", { id: String(jobId) }),
      value,
      waiting,
      subtenant: isolated(subtenant?.name ?? "–"),
      points: formatList(points.map(isolated)),
      tenants: formatList(tenants.map((tenant) => isolated(tenant.name))),
      entity: entityType,
      usual: formatNumber(usualPerHour),
      fault: isolated(fault),
      answer: isolated(answer ?? ""),
    });
    return mark + sentence;
  };
}

export const eventTexts: Record<AlertEvent["kind"], TextKey> = {
  fired: "alerts.event.fired",
  woken: "alerts.event.woken",
  recovered: "alerts.event.recovered",
  acknowledged: "alerts.event.acknowledged",
  snoozed: "alerts.event.snoozed",
  reopened: "alerts.event.reopened",
  assigned: "alerts.event.assigned",
};
