import type { CircuitFault, Queue, Routes } from "@crossdock/contract";
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { api } from "../api/api.ts";
import { useFaultSaying } from "./circuit-fault.ts";
import { useFailureNotice } from "../api/failure-notice.ts";
import { useText } from "../i18n/i18n.tsx";
import { PauseOfPoint } from "./pause-of-point.tsx";
import { RepairLink } from "../messages/repair-link.tsx";
import { useRoleReason } from "../session/role-texts.ts";
import { useIsPermitted } from "../session/session.ts";
import { Button } from "../ui/button.tsx";
import { noticeSuccess } from "../ui/notice.tsx";
import { Time } from "../ui/time.tsx";
import { useRefresh } from "../live/use-refresh.ts";

/** How a target fails and since when, with the way to the attempt that shows it. */
export function Failure({ fault }: { fault: CircuitFault }) {
  const t = useText();
  const say = useFaultSaying();
  return (
    <span>
      {say(fault)} ·{" "}
      <Link to="/queue/details/$messageId" params={{ messageId: fault.messageId }} className="underline">
        {t("target.failedAttempt")}
      </Link>
    </span>
  );
}

type TargetFailureProps = { tenantCode: string; queue: Queue };

/** How the target of a queue fails, when it is tried again, and a button that does so now. */
export function TargetFailure({ tenantCode, queue: { circuit, circuitFault, circuitOpenUntil, integrationPoint } }: TargetFailureProps) {
  const t = useText();
  const attempt = useTryNow(tenantCode);
  const disabledReason = useRoleReason("operate");
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
      {circuitFault && <Failure fault={circuitFault} />}
      {circuitFault && <RepairLink errorClass={circuitFault.errorClass} pointIds={[integrationPoint.id]} className="underline" />}
      {circuitOpenUntil && (
        <span>
          {t("dashboard.retry")} <Time at={circuitOpenUntil} />
        </span>
      )}
      {circuit === "open" && (
        <Button isBusy={attempt.isPending} disabledReason={disabledReason} onClick={() => attempt.mutate(integrationPoint.id)}>
          {t("target.tryNow")}
        </Button>
      )}
    </div>
  );
}

function useTryNow(tenantCode: string) {
  const t = useText();
  return useMutation({
    mutationFn: (integrationPointId: number) =>
      api<Routes["tryIntegrationPoint"]>("POST", "/tenants/:tenantCode/integration-points/:integrationPointId/try", {
        params: { tenantCode, integrationPointId },
      }),
    onSuccess: () => noticeSuccess(t("target.tried")),
    onError: useFailureNotice(),
    onSettled: useRefresh(tenantCode),
  });
}

type TargetLinkProps = { point: Queue["integrationPoint"]; className?: string };

/** A target by its name; whoever may look into it gets the way to its configuration. */
export function TargetLink({ point: { id, name }, className }: TargetLinkProps) {
  const mayOpen = useIsPermitted("operate");
  if (!mayOpen) return <bdi>{name}</bdi>;
  return (
    <Link to="/configuration" search={{ point: String(id) }} className={className}>
      <bdi>{name}</bdi>
    </Link>
  );
}

type TargetHeldUpProps = { tenantCode: string; queue: Queue; isNamed?: boolean };

/** Why nothing goes to the target of a queue now: who paused it, or how it fails. */
export function TargetHeldUp({ tenantCode, queue, isNamed = false }: TargetHeldUpProps) {
  const { pause, integrationPoint } = queue;
  if (!isHeldUp(queue)) return null;
  return (
    <div className={`rounded-card px-4 py-2 break-words ${pause ? "bg-warn-soft text-warn" : "bg-bad-soft text-bad"}`}>
      {isNamed && (
        <p className="font-medium">
          <TargetLink point={integrationPoint} className="underline" />
        </p>
      )}
      {pause ? <PauseOfPoint pause={pause} /> : <TargetFailure tenantCode={tenantCode} queue={queue} />}
    </div>
  );
}

export const isDown = ({ circuit, isPaused }: Queue): boolean => circuit !== "closed" && !isPaused;
export const isHeldUp = (queue: Queue): boolean => queue.pause !== null || isDown(queue);
