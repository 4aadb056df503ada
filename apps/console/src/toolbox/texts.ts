import type { TextKey } from "../i18n/i18n.tsx";
import type { Operation } from "./search.ts";

export const operationTexts: Record<Operation, { name: TextKey; hint: TextKey }> = {
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
