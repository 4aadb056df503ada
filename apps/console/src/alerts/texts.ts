import type { Alert, AlertKind, AlertRule } from "@crossdock/contract";
import { entityTypeLabels } from "../entity-types.ts";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import { locale } from "../settings.ts";
import { writeTextSearch } from "../text-search.ts";

const conditions: Record<AlertKind, TextKey> = {
  "dead-letters": "alerts.when.deadLetters",
  "dead-letters-rising": "alerts.when.rising",
  "queue-age": "alerts.when.queueAge",
  "circuit-open": "alerts.when.circuit",
  "job-failed": "alerts.when.job",
  silence: "alerts.when.silence",
  "order-unshipped": "alerts.when.order",
  "stock-stale": "alerts.when.stock",
  outage: "alerts.when.outage",
};

type RuleFields = Pick<AlertRule, "kind" | "threshold" | "windowSeconds" | "forSeconds" | "recoverSeconds" | "entityType">;

/** When a rule fires, in words: `where` is what it is confined to. */
export function useRuleWords(): (rule: RuleFields, where: string) => string {
  const t = useText();
  // A Chinese full stop brings its own room.
  const gap = locale.use() === "zh" ? "" : " ";
  return ({ kind, threshold, windowSeconds, forSeconds, recoverSeconds, entityType }, where) =>
    [
      t(conditions[kind], {
        count: threshold,
        window: Math.round(windowSeconds / 60),
        entity: entityType ? t(entityTypeLabels[entityType]) : t("filter.any"),
      }),
      ...(forSeconds > 0 ? [t("alerts.when.for", { minutes: Math.ceil(forSeconds / 60) })] : []),
      ...(recoverSeconds > 0 ? [t("alerts.when.recover", { minutes: Math.ceil(recoverSeconds / 60) })] : []),
      t("alerts.when.where", { where }),
    ].join(gap);
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const shifted = (at: string, ms: number): string => new Date(Date.parse(at) + ms).toISOString();

type Looked = Pick<Alert, "details" | "since"> & { subtenant: string; queue: string; oldest: string; until: { to?: string } };

const deadLetters = ({ subtenant, queue }: Looked) => `/deadletter-list${writeTextSearch({ subtenant, queue, view: "list" })}`;

const lists: Record<AlertKind, (looked: Looked) => string> = {
  "dead-letters": deadLetters,
  "dead-letters-rising": deadLetters,
  "queue-age": ({ subtenant, queue, oldest, until }) =>
    `/queue${writeTextSearch({ subtenant, queue, from: shifted(oldest, -minuteMs), ...until })}`,
  // What waits for the target is back in its queue, but for what had failed before.
  "circuit-open": ({ subtenant, details: { pointId }, since, until }) =>
    `/queue${writeTextSearch({ subtenant, point: pointId === undefined ? "" : String(pointId), ...(until.to === undefined ? { state: "waiting" } : { from: shifted(since, -minuteMs), ...until }) })}`,
  "job-failed": ({ details: { runId } }) =>
    `/jobstatus-list${writeTextSearch(runId === undefined ? { view: "bulk" } : { run: String(runId) })}`,
  silence: ({ subtenant, details: { entityType = "" }, oldest, until }) =>
    `/queue${writeTextSearch({ subtenant, entity: entityType, from: shifted(oldest, -hourMs), ...until })}`,
  "order-unshipped": ({ subtenant, details: { name = "" } }) => `/queue${writeTextSearch({ subtenant, entity: "order", search: name })}`,
  "stock-stale": ({ subtenant }) => `/externalmessages${writeTextSearch({ subtenant, entity: "stock" })}`,
  outage: () => "/brightcom-dashboard",
};

/** The list in which what an alert is about can be seen, with its time and filters. */
export function listOf({ kind, subtenant, queueId, details, since, recoveredAt }: Alert): string {
  return lists[kind]({
    details,
    since,
    subtenant: subtenant?.code ?? "",
    queue: queueId === null ? "" : String(queueId),
    oldest: details.oldest ?? since,
    until: recoveredAt === null ? {} : { to: recoveredAt },
  });
}
