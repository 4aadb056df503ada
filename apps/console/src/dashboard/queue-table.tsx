import type { WorstQueue } from "@crossdock/contract";
import { useIntl } from "react-intl";
import { useText } from "../i18n/i18n.tsx";
import { addressIn } from "../tenant-address.ts";
import { writeTextSearch } from "../text-search.ts";
import { Time } from "../ui/time.tsx";
import { FiguresTable, figureCell } from "./figures-table.tsx";

/** The queues that need somebody most, as the server puts them; each leads to its list. */
export function QueueTable({ queues }: { queues: WorstQueue[] }) {
  const t = useText();
  const { formatNumber } = useIntl();
  return (
    <FiguresTable
      label={t("dashboard.worstQueues")}
      firstHead={t("filter.queue")}
      heads={[t("health.dead"), t("health.waiting"), t("health.oldestWaiting")]}
    >
      {queues.map((queue) => (
        <tr key={`${queue.tenantCode} ${queue.queueId}`} className="border-t border-line">
          <th className="px-4 py-2 text-start font-normal">
            <QueueName queue={queue} />
          </th>
          <td className={`${figureCell} ${queue.dead > 0 ? "font-semibold text-bad" : ""}`}>{formatNumber(queue.dead)}</td>
          <td className={figureCell}>{formatNumber(queue.waiting)}</td>
          <td className={figureCell}>{queue.oldestWaitingAt === null ? "–" : <Time at={queue.oldestWaitingAt} />}</td>
        </tr>
      ))}
    </FiguresTable>
  );
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
