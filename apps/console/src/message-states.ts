import type { MessageState } from "@crossdock/contract";
import type { TextKey } from "./i18n/i18n.tsx";

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
