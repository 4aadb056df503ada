import type { AlertKind, AlertState } from "@crossdock/contract";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import { Chip, type Tone } from "../ui/chip.tsx";

export const alertKindTexts: Record<AlertKind, TextKey> = {
  "dead-letters": "alerts.kind.deadLetters",
  "dead-letters-rising": "alerts.kind.rising",
  "queue-age": "alerts.kind.queueAge",
  "circuit-open": "alerts.kind.circuit",
  "job-failed": "alerts.kind.job",
  silence: "alerts.kind.silence",
  "order-unshipped": "alerts.kind.order",
  "stock-stale": "alerts.kind.stock",
  outage: "alerts.kind.outage",
};

export const alertStateTexts: Record<AlertState, TextKey> = {
  firing: "alerts.state.firing",
  acknowledged: "alerts.state.acknowledged",
  snoozed: "alerts.state.snoozed",
  recovered: "alerts.state.recovered",
};
const tones: Record<AlertState, Tone> = { firing: "bad", acknowledged: "info", snoozed: "neutral", recovered: "ok" };

export function AlertStateChip({ state }: { state: AlertState }) {
  const t = useText();
  return <Chip tone={tones[state]}>{t(alertStateTexts[state])}</Chip>;
}
