import type { Subtenant } from "@crossdock/contract";
import { Link } from "@tanstack/react-router";
import { useText } from "../i18n/i18n.tsx";
import { Chip } from "../ui/chip.tsx";

/** What stands still of a subtenant, whatever the switches of its integration points say; each leads to where that is changed. */
export function PausedChips({ subtenant }: { subtenant: Pick<Subtenant, "isActive" | "incomingPaused" | "outgoingPaused"> | undefined }) {
  const t = useText();
  if (!subtenant) return null;
  const { isActive, incomingPaused, outgoingPaused } = subtenant;
  return (
    <>
      {!isActive && <Standing tone="neutral" text={t("subtenants.inactive")} />}
      {incomingPaused && <Standing tone="warn" text={t("subtenants.incomingPaused")} />}
      {outgoingPaused && <Standing tone="warn" text={t("subtenants.outgoingPaused")} />}
    </>
  );
}

function Standing({ tone, text }: { tone: "neutral" | "warn"; text: string }) {
  return (
    <Link to="/subtenant-list" className="max-w-full rounded-full hover:underline">
      <Chip tone={tone}>{text}</Chip>
    </Link>
  );
}
