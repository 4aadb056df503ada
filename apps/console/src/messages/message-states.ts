import type { ExternalMessageState, MessageState } from "@crossdock/contract";
import type { TextKey, useText } from "../i18n/i18n.tsx";

export const stateLabels: Record<MessageState, TextKey> = {
  ready: "message.state.ready",
  "in-hand": "message.state.inHand",
  retrying: "message.state.retrying",
  parked: "message.state.parked",
  dead: "message.state.dead",
  delivered: "message.state.delivered",
  superseded: "message.state.superseded",
  removed: "message.state.removed",
  redirected: "message.state.redirected",
};

export const externalStateLabels: Record<ExternalMessageState, TextKey> = {
  accepted: "external.state.accepted",
  unchanged: "external.state.unchanged",
  rejected: "external.state.rejected",
  ignored: "external.state.ignored",
};

/** How a delivery that failed for want of mappings says so; the rest of it are names of fields and values. */
const missing = /^mapping missing: (.*?)(?: and (\d+) more)?$/s;

/** Why a delivery failed. What a system answered stands in its own words. */
export function faultText(t: ReturnType<typeof useText>, error: string): string {
  const [, values, more] = missing.exec(error) ?? [];
  // Isolated, as quotation marks at a sentence's end would else run as the sentence does (Unicode isolates).
  return values === undefined ? error : t("message.mappingMissing", { values: `\u2068${values}${more ? ` (+${more})` : ""}\u2069` });
}

/** What the errors of a group have in common, told by the group's name: their class, then the text with … for what differs. */
export function causeText(t: ReturnType<typeof useText>, cause: string): string {
  const at = cause.indexOf(": ");
  return at === -1 ? cause : faultText(t, cause.slice(at + 2));
}
