import type { CircuitFault, Queue, Routes } from "@crossdock/contract";
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { api } from "./api.ts";
import { useFaultSaying } from "./circuit-fault.ts";
import { useFailureNotice } from "./failure-notice.ts";
import { useText } from "./i18n/i18n.tsx";
import { RepairLink } from "./repair-link.tsx";
import { useRoleReason } from "./role-texts.ts";
import { Button } from "./ui/button.tsx";
import { Chip } from "./ui/chip.tsx";
import { noticeSuccess } from "./ui/notice.tsx";
import { Time } from "./ui/time.tsx";
import { useRefresh } from "./use-refresh.ts";

/** Whether a queue's target is left alone, or tried again; its tooltip tells how it fails. */
export function CircuitChip({ circuit, circuitFault }: Pick<Queue, "circuit" | "circuitFault">) {
  const t = useText();
  const say = useFaultSaying();
  if (circuit === "closed") return null;
  return (
    <Chip tone={circuit === "open" ? "bad" : "warn"} title={circuitFault ? say(circuitFault) : undefined}>
      {t(circuit === "open" ? "queue.circuitOpen" : "queue.circuitHalfOpen")}
    </Chip>
  );
}

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

/** Of more targets the queues tell; each says the same once it is chosen. */
const shownMax = 3;

/** The targets of these queues that are down, a strip for each of the first ones. */
export function TargetsDown({ tenantCode, queues }: { tenantCode: string; queues: readonly Queue[] }) {
  const down = queues.filter(({ circuit, isPaused }) => circuit !== "closed" && !isPaused);
  return [...new Map(down.map((queue) => [queue.integrationPoint.id, queue])).values()].slice(0, shownMax).map((queue) => (
    <div key={queue.integrationPoint.id} className="mb-2 rounded-card bg-bad-soft px-4 py-2 text-bad">
      <p className="font-medium break-words">
        <bdi>{queue.integrationPoint.name}</bdi>
      </p>
      <TargetFailure tenantCode={tenantCode} queue={queue} />
    </div>
  ));
}
