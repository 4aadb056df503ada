import type { Job, JobItem, JobKind, JobOutcome, JobSubject, MessageState, RedirectFault } from "@crossdock/contract";
import { useIntl } from "react-intl";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import { filterTexts } from "../api/problem-texts.ts";
import { entityTypeText } from "../entity-types.ts";
import { causeText, externalStateLabels, faultText, stateLabels } from "../messages/message-states.ts";
import type { Tone } from "../ui/chip.tsx";

type Question = { title: TextKey; text: TextKey; action: TextKey };

const questions: Record<Exclude<JobKind, "replay">, Question> = {
  "retry-now": { title: "bulk.confirmRetryNow", text: "bulk.retryNowText", action: "action.retryNow" },
  requeue: { title: "deadLetters.confirmRequeue", text: "deadLetters.requeueText", action: "action.requeue" },
  remove: { title: "bulk.confirmRemove", text: "deadLetters.removeText", action: "action.remove" },
  restore: { title: "bulk.confirmRestore", text: "bulk.restoreText", action: "action.restore" },
  patch: { title: "patch.tried", text: "patch.text", action: "patch.action" },
  redirect: { title: "redirect.confirm", text: "redirect.text", action: "action.redirect" },
};

const replay: Question = { title: "external.confirmReplay", text: "external.replayText", action: "external.replay" };

const externalQuestions: Record<Exclude<JobSubject, "messages">, Record<"remove" | "restore", Question>> = {
  "external-messages": {
    remove: { title: "external.confirmRemove", text: "external.removeText", action: "action.remove" },
    restore: { title: "external.confirmRestore", text: "external.restoreText", action: "action.restore" },
  },
  "external-items": {
    remove: { title: "externalItems.confirmRemove", text: "externalItems.removeText", action: "action.remove" },
    restore: { title: "externalItems.confirmRestore", text: "externalItems.restoreText", action: "action.restore" },
  },
};

/** How a job is asked about, and what it is called. */
export function questionOf({ subject, kind }: Pick<Job, "subject" | "kind">): Question {
  if (kind === "replay") return replay;
  if (subject === "messages" || (kind !== "remove" && kind !== "restore")) return questions[kind];
  return externalQuestions[subject][kind];
}

export const outcomeTexts: Record<JobOutcome, { label: TextKey; tone: Tone }> = {
  waiting: { label: "job.outcome.waiting", tone: "info" },
  sent: { label: "job.outcome.sent", tone: "info" },
  done: { label: "job.outcome.done", tone: "ok" },
  skipped: { label: "job.outcome.skipped", tone: "neutral" },
  failed: { label: "job.outcome.failed", tone: "bad" },
};

/** What is done to an item, where “done” would read as if it had been delivered. */
export const doneTexts: Partial<Record<JobKind, TextKey>> = {
  "retry-now": "job.outcome.requeued",
  requeue: "job.outcome.requeued",
  redirect: "message.state.redirected",
};

export const outcomeLabel = (outcome: JobOutcome, kind: JobKind | undefined): TextKey =>
  (outcome === "done" && kind && doneTexts[kind]) || outcomeTexts[outcome].label;

/** Why an item was left alone: what had become of it. */
const foundText = (state: MessageState | null): TextKey => (state === null ? "job.gone" : stateLabels[state]);

/** Why a message can't go to another target. */
export const unfitTexts: Record<RedirectFault, TextKey> = {
  "same-queue": "redirect.sameQueue",
  "target-closed": "redirect.targetClosed",
  "entity-type": "redirect.entityType",
  subtenant: "redirect.subtenant",
  environment: "redirect.environment",
  origin: "redirect.origin",
  mapping: "redirect.mapping",
};

/** Why an item is not done. */
export function whyText(
  {
    error,
    faults,
    unfit,
    isUnchanged,
    foundIn,
    queueName,
  }: Pick<JobItem, "error" | "faults" | "unfit" | "isUnchanged" | "foundIn" | "queueName">,
  t: ReturnType<typeof useText>,
) {
  if (faults.length > 0)
    return faults.map(({ path, message }) => (path === "" ? message : t("text.labelled", { label: path, value: message }))).join("; ");
  if (unfit !== null) return [t(unfitTexts[unfit]), error].filter(Boolean).join(": ");
  // Only messages are in queues.
  if (error === null && queueName === null && foundIn === null) return t("job.changedMeanwhile");
  if (error !== null) return faultText(t, error);
  return t(isUnchanged ? "patch.unchanged" : foundText(foundIn));
}

const states: Record<string, TextKey> = { ...stateLabels, ...externalStateLabels };

/** What a job is about: the queues of its messages, and what they had to match. */
export function useAboutTexts(): (job: Pick<Job, "filter" | "queueNames">) => string[] {
  const t = useText();
  const { formatDate } = useIntl();
  const valueOf = (name: string, value: string): string => {
    if (name === "fingerprint") return causeText(t, value);
    if (name === "entityType") return entityTypeText(t, value);
    if (name === "state") return value.replace(/[^, ]+/g, (state) => (states[state] ? t(states[state]) : state));
    return name === "from" || name === "to" ? formatDate(value, { dateStyle: "medium", timeStyle: "short" }) : value;
  };
  const labelled = (name: string, value: string): string => {
    const label = filterTexts[name];
    return label === undefined ? value : t("text.labelled", { label: t(label), value: `\u2068${value}\u2069` });
  };
  return ({ queueNames, filter }) => [
    ...(queueNames.length === 0 ? [] : [labelled("queueId", firstOf(queueNames))]),
    ...Object.entries(filter ?? {}).map(([name, value]) => labelled(name, firstOf(valueOf(name, value).split(", ")))),
  ];
}

/** Keys of a pasted column can be hundreds. */
const namedMax = 5;

const firstOf = (names: readonly string[]): string =>
  names.length > namedMax ? `${names.slice(0, namedMax).join(", ")} (+${names.length - namedMax})` : names.join(", ");

/** Where a bulk patch stands between its stages; empty for other jobs. */
export function useStageText(): (job: Job) => string {
  const t = useText();
  const { formatNumber } = useIntl();
  return ({ stage, state, inFlight, isHalted }) => {
    if (stage === null || state === "done") return "";
    const numbers = { number: String(stage.number), sent: formatNumber(stage.sent), failed: formatNumber(stage.failed) };
    if (isHalted && state === "stopped") return t("patch.halted", numbers);
    const waiting = inFlight > 0 ? t("patch.inFlight", { count: inFlight, shown: formatNumber(inFlight) }) : "";
    return `${stage.size === null ? t("patch.lastStage") : t("patch.stage", { ...numbers, size: formatNumber(stage.size) })} ${waiting}`.trim();
  };
}

const minute = 60;
const hour = 60 * minute;

/** How long a job takes, or still takes, at its pace; empty where nobody knows. */
export function useTimeLeft(): (job: Job) => string {
  const t = useText();
  const { formatNumber } = useIntl();
  return ({ secondsLeft, state }) => {
    if (secondsLeft === null || secondsLeft === 0) return "";
    const [value, unit] =
      secondsLeft >= 2 * hour
        ? ([secondsLeft / hour, "hour"] as const)
        : secondsLeft >= 2 * minute
          ? ([secondsLeft / minute, "minute"] as const)
          : ([secondsLeft, "second"] as const);
    return t(state === "ready" ? "job.timeNeeded" : "job.timeLeft", {
      time: formatNumber(Math.round(value), { style: "unit", unit, unitDisplay: "long" }),
    });
  };
}
