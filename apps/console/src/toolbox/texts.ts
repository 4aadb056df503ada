import type { ToolboxOperation } from "@crossdock/contract";
import { allOf } from "../all-of.ts";
import type { TextKey } from "../i18n/i18n.tsx";
import type { ResultOf } from "./operations.ts";

export const operations = allOf<ToolboxOperation>()([
  "resend",
  "fetch-next",
  "publish-test",
  "validate",
  "test-connection",
  "redrive",
  "retry-now",
  "purge",
  "restore",
  "resync",
  "rebuild-external-items",
  "reconcile",
]);

export const operationTexts: Record<ToolboxOperation, { name: TextKey; hint: TextKey }> = {
  "fetch-next": { name: "toolbox.fetchNext", hint: "toolbox.fetchNextHint" },
  resend: { name: "toolbox.resend", hint: "toolbox.resendHint" },
  "publish-test": { name: "toolbox.publishTest", hint: "toolbox.publishTestHint" },
  validate: { name: "toolbox.validate", hint: "toolbox.validateHint" },
  "test-connection": { name: "toolbox.testConnection", hint: "toolbox.testConnectionHint" },
  redrive: { name: "toolbox.redrive", hint: "toolbox.redriveHint" },
  "retry-now": { name: "toolbox.retryNow", hint: "toolbox.retryNowHint" },
  purge: { name: "toolbox.purge", hint: "toolbox.purgeHint" },
  restore: { name: "toolbox.restore", hint: "toolbox.restoreHint" },
  resync: { name: "toolbox.resync", hint: "toolbox.resyncHint" },
  reconcile: { name: "toolbox.reconcile", hint: "toolbox.reconcileHint" },
  "rebuild-external-items": { name: "toolbox.rebuild", hint: "toolbox.rebuildHint" },
};

type Way = ResultOf<"resent">["way"];

/** What sending a message once more would do, and has done. */
export const would: Record<Way, TextKey> = {
  leased: "toolbox.wouldLease",
  requeued: "toolbox.wouldRequeue",
  retried: "toolbox.wouldRetry",
  restored: "toolbox.wouldRestore",
  copied: "toolbox.wouldCopy",
};
export const has: Record<Way, TextKey> = {
  leased: "toolbox.hasLeased",
  requeued: "toolbox.hasRequeued",
  retried: "toolbox.hasRetried",
  restored: "toolbox.hasRestored",
  copied: "toolbox.hasCopied",
};

/** What came of a payload. */
export const states: Record<ResultOf<"handed-in">["state"], { text: TextKey; tone: "ok" | "info" | "warn" }> = {
  accepted: { text: "toolbox.wouldAccept", tone: "ok" },
  unchanged: { text: "toolbox.unchanged", tone: "info" },
  ignored: { text: "toolbox.ignored", tone: "info" },
  rejected: { text: "toolbox.rejected", tone: "warn" },
};
