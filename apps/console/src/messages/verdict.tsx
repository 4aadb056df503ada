import type { MessageDetails } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useText } from "../i18n/i18n.tsx";
import { MissingValueLink } from "../missing-value-link.tsx";
import { CopyableTime } from "../ui/copyable-time.tsx";
import { attemptsQuery, messageTraceQuery } from "./queries.ts";

type VerdictProps = { tenantCode: string; message: MessageDetails };

/** Why a message isn't at its target, and what comes next: what one opens it for. Nothing where all is well. */
export function Verdict({ tenantCode, message }: VerdictProps) {
  const t = useText();
  const { data: attempts } = useQuery(attemptsQuery(tenantCode, message.id));
  const { state, error, nextAttemptAt } = message;
  if (!error && !nextAttemptAt && state !== "parked") return null;
  return (
    <div className={`grid gap-1 rounded-card px-4 py-3 ${state === "dead" ? "bg-bad-soft text-bad" : "bg-warn-soft text-warn"}`}>
      {error && (
        <p dir="auto" className="font-medium break-words rtl:text-right">
          {error}
        </p>
      )}
      {nextAttemptAt && (
        <p>
          {t("message.nextAttempt")}: <CopyableTime at={nextAttemptAt} isRelative />
        </p>
      )}
      {state === "parked" && <HeldBy tenantCode={tenantCode} messageId={message.id} />}
      {state === "dead" && <MissingValueLink errorClass={attempts?.at(-1)?.error?.class} />}
    </div>
  );
}

/** The message that has to leave before this one may go. */
export function HeldBy({ tenantCode, messageId }: { tenantCode: string; messageId: string }) {
  const t = useText();
  const { data: trace } = useQuery(messageTraceQuery(tenantCode, messageId));
  const heldBy = trace?.lane.heldBy ?? null;
  if (heldBy === null || heldBy === messageId) return null;
  return (
    <p className="text-warn">
      {t("lane.heldBy")}{" "}
      <Link to="/queue/details/$messageId" params={{ messageId: heldBy }} className="font-mono underline">
        {heldBy}
      </Link>
    </p>
  );
}
