import type { WorstQueue } from "@crossdock/contract";
import { useIntl } from "react-intl";
import { useText } from "../i18n/i18n.tsx";
import { addressIn } from "../tenant-address.ts";
import { writeTextSearch } from "../text-search.ts";
import { Time } from "../ui/time.tsx";

/** The queues that need somebody most, as the server puts them; each leads to its list. */
export function QueueTable({ queues }: { queues: WorstQueue[] }) {
  const t = useText();
  const { formatNumber } = useIntl();
  const cell = "px-3 py-2 text-end tabular-nums whitespace-nowrap";
  return (
    <div className="overflow-x-auto" tabIndex={0} role="region" aria-label={t("dashboard.worstQueues")}>
      <table className="w-full">
        <thead className="text-xs text-muted">
          <tr>
            <th className="px-4 py-2 text-start font-medium">{t("filter.queue")}</th>
            {[t("health.dead"), t("health.waiting"), t("health.oldestWaiting")].map((head) => (
              <th key={head} className={`${cell} font-medium`}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {queues.map((queue) => (
            <tr key={`${queue.tenantCode} ${queue.queueId}`} className="border-t border-line">
              <th className="px-4 py-2 text-start font-normal">
                <QueueName queue={queue} />
              </th>
              <td className={`${cell} ${queue.dead > 0 ? "font-semibold text-bad" : ""}`}>{formatNumber(queue.dead)}</td>
              <td className={cell}>{formatNumber(queue.waiting)}</td>
              <td className={cell}>{queue.oldestWaitingAt === null ? "–" : <Time at={queue.oldestWaitingAt} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
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
