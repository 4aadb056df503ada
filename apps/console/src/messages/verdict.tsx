import type { MessageDetails, Queue } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useIntl } from "react-intl";
import { useText } from "../i18n/i18n.tsx";
import { PauseOfPoint } from "../targets/pause-of-point.tsx";
import { buttonClass } from "../ui/button.tsx";
import { RepairLink, RepairReason } from "./repair-link.tsx";
import { CopyableTime } from "../ui/copyable-time.tsx";
import { TargetFailure } from "../targets/target-failure.tsx";
import { queuesQuery } from "../session/workspace.ts";
import { attemptsQuery, messageTraceQuery } from "./queries.ts";
import { faultText } from "./message-states.ts";

type VerdictProps = { tenantCode: string; message: MessageDetails };

/** Why a message isn't at its target, and what comes next: what one opens it for. Nothing where all is well. */
export function Verdict({ tenantCode, message }: VerdictProps) {
  const t = useText();
  const { formatMessage } = useIntl();
  const { data: attempts } = useQuery(attemptsQuery(tenantCode, message.id));
  const { data: queues } = useQuery(queuesQuery(tenantCode));
  const { state, nextAttemptAt } = message;
  const queue = queues?.find(({ id }) => id === message.queueId);
  const heldUp = queue && isHeldUp(queue, state) ? queue : null;
  // What goes back to its queue when the target is left alone keeps its failure with its attempts only.
  const lastError = attempts?.at(-1)?.error;
  const error = message.error ?? (heldUp && lastError?.message);
  if (!error && !nextAttemptAt && state !== "parked" && state !== "superseded" && !heldUp) return null;
  return (
    <div className={`grid gap-1 rounded-card px-4 py-3 ${state === "dead" ? "bg-bad-soft text-bad" : "bg-warn-soft text-warn"}`}>
      {error && (
        <p dir="auto" className="font-medium break-words rtl:text-right">
          {faultText(t, error)}
        </p>
      )}
      {state === "superseded" && <p>{t("message.wasSuperseded")}</p>}
      {heldUp && <HeldUp tenantCode={tenantCode} queue={heldUp} />}
      {nextAttemptAt && !heldUp && (
        <p>
          {formatMessage(
            { id: "text.labelled" },
            { label: t("message.nextAttempt"), value: <CopyableTime at={nextAttemptAt} isRelative /> },
          )}
        </p>
      )}
      {state === "parked" && <HeldBy tenantCode={tenantCode} messageId={message.id} />}
      {state === "dead" && (
        <>
          <RepairReason errorClass={lastError?.class} />
          <RepairLink
            errorClass={lastError?.class}
            pointIds={queue ? [queue.integrationPoint.id] : []}
            objectKey={message.key}
            className={buttonClass("primary", "mt-1 w-fit")}
          />
        </>
      )}
    </div>
  );
}

/** Whether nothing of the queue goes out now, so that a message of this state waits for more than its turn. */
function isHeldUp({ isPaused, circuit }: Queue, state: MessageDetails["state"]): boolean {
  return (state === "ready" && (isPaused || circuit !== "closed")) || (state === "retrying" && isPaused);
}

function HeldUp({ tenantCode, queue }: { tenantCode: string; queue: Queue }) {
  const t = useText();
  const { isPaused, pause, integrationPoint } = queue;
  return (
    <>
      <p>{t(isPaused ? "message.waitsPaused" : "message.waitsDown", { name: integrationPoint.name })}</p>
      {pause && (
        <p className="break-words">
          <PauseOfPoint pause={pause} />
        </p>
      )}
      {!isPaused && <TargetFailure tenantCode={tenantCode} queue={queue} />}
    </>
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
