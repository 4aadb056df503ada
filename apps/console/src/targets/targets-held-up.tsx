import type { Queue } from "@crossdock/contract";
import { TargetHeldUp, isDown, isHeldUp } from "./target-failure.tsx";

/** Of more targets the queues tell; each says the same once it is chosen. */
const shownMax = 3;

type TargetsHeldUpProps = { tenantCode: string; queues: readonly Queue[]; of?: { subtenant?: string; queue?: string } };

/** The targets of these queues to which nothing goes now, a strip for each of the first ones: those that are down before those that are paused. */
export default function TargetsHeldUp({ tenantCode, queues, of: { subtenant, queue: queueId } = {} }: TargetsHeldUpProps) {
  const heldUp = queues
    .filter((queue) => isHeldUp(queue) && (!subtenant || queue.subtenantCode === subtenant) && (!queueId || String(queue.id) === queueId))
    .toSorted((one, other) => Number(isDown(other)) - Number(isDown(one)));
  if (heldUp.length === 0) return null;
  return (
    <div className="mb-2 grid gap-2">
      {[...new Map(heldUp.map((queue) => [queue.integrationPoint.id, queue])).values()].slice(0, shownMax).map((queue) => (
        <TargetHeldUp key={queue.integrationPoint.id} tenantCode={tenantCode} queue={queue} isNamed />
      ))}
    </div>
  );
}
