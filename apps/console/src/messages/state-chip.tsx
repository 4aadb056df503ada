import type { MessageState } from "@crossdock/contract";
import { useText } from "../i18n/i18n.tsx";
import { stateLabels } from "./message-states.ts";
import { Chip, type Tone } from "../ui/chip.tsx";

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
