import type { WorstQueue } from "@crossdock/contract";
import { useIntl } from "react-intl";
import { useText } from "../i18n/i18n.tsx";
import { addressIn } from "../tenant-address.ts";
import { writeTextSearch } from "../text-search.ts";
import { Time } from "../ui/time.tsx";
import { FiguresTable } from "./figures-table.tsx";

/** The queues that need somebody most, as the server puts them; each leads to its list. */
export function QueueTable({ queues }: { queues: WorstQueue[] }) {
  const t = useText();
  const { formatNumber } = useIntl();
  const rows = queues.map((queue) => ({
    key: `${queue.tenantCode} ${queue.queueId}`,
    name: <QueueName queue={queue} />,
    figures: [
      { value: formatNumber(queue.dead), isBad: queue.dead > 0 },
      { value: formatNumber(queue.waiting) },
      { value: queue.oldestWaitingAt === null ? "–" : <Time at={queue.oldestWaitingAt} /> },
    ],
  }));
  const heads = [t("health.dead"), t("health.waiting"), t("health.oldestWaiting")];
  return <FiguresTable label={t("dashboard.worstQueues")} firstHead={t("filter.queue")} heads={heads} rows={rows} />;
}

function QueueName({ queue }: { queue: WorstQueue }) {
  const { tenantCode, tenantName, subtenantCode, subtenantName, queueId, queueName, integrationPointName } = queue;
  const list = `/queue${writeTextSearch({ subtenant: subtenantCode, queue: String(queueId) })}`;
  return (
    <>
      <a href={addressIn(tenantCode, list)} className="font-medium break-words text-primary-ink hover:underline">
        <bdi>
          {queueName} · {integrationPointName}
        </bdi>
      </a>
      <span className="block text-xs break-words text-muted">
        <bdi>{tenantName}</bdi> · <bdi>{subtenantName}</bdi>
      </span>
    </>
  );
}
