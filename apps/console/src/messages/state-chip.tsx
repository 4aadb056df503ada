import type { MessageState } from "@crossdock/contract";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import { Chip, type Tone } from "../ui/chip.tsx";

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

const tones: Record<MessageState, Tone> = {
  ready: "info",
  "in-hand": "info",
  retrying: "warn",
  parked: "warn",
  dead: "bad",
  delivered: "ok",
  superseded: "neutral",
  removed: "neutral",
  redirected: "neutral",
};

export function StateChip({ state }: { state: MessageState }) {
  const t = useText();
  return <Chip tone={tones[state]}>{t(stateLabels[state])}</Chip>;
}
