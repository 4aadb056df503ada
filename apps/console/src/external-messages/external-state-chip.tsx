import type { ExternalMessage, ExternalMessageState } from "@crossdock/contract";
import { useText } from "../i18n/i18n.tsx";
import { externalStateLabels } from "../messages/message-states.ts";
import { Chip, type Tone } from "../ui/chip.tsx";

const tones: Record<ExternalMessageState, Tone> = { accepted: "ok", unchanged: "neutral", rejected: "bad", ignored: "neutral" };

export function ExternalStateChip({ state, removedAt }: Pick<ExternalMessage, "state"> & Partial<Pick<ExternalMessage, "removedAt">>) {
  const t = useText();
  return (
    <span className="inline-flex max-w-full gap-1.5">
      <Chip tone={tones[state]}>{t(externalStateLabels[state])}</Chip>
      {removedAt && <Chip tone="warn">{t("external.state.removed")}</Chip>}
    </span>
  );
}
