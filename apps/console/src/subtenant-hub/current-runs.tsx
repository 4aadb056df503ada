import type { Run } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useText } from "../i18n/i18n.tsx";
import { RunStateChip, useCountsText, useRunName } from "../runs/run-labels.tsx";
import { ProgressBar } from "../ui/progress-bar.tsx";
import { Time } from "../ui/time.tsx";
import { runsInQuery } from "./queries.ts";
import { WatchCard } from "./watch-card.tsx";

/** The jobs of the subtenant that run now, and the newest ones that failed. */
export function CurrentRuns({ tenantCode, subtenantCode }: { tenantCode: string; subtenantCode: string }) {
  const t = useText();
  const running = useQuery(runsInQuery(tenantCode, subtenantCode, "running"));
  const failed = useQuery(runsInQuery(tenantCode, subtenantCode, "failed"));
  const query = running.error ? running : failed.error || failed.isPending ? failed : running;
  return (
    <WatchCard
      title={t("jobs.title")}
      link={
        <Link to="/jobstatus-list" search={{ subtenant: subtenantCode }} className="text-primary-ink hover:underline">
          {t("menu.jobStatus")}
        </Link>
      }
      query={query}
      calm={t("hub.noJob")}
    >
      {[...(running.data ?? []), ...(failed.data ?? [])].map((run) => (
        <RunItem key={run.id} run={run} subtenantCode={subtenantCode} />
      ))}
    </WatchCard>
  );
}

function RunItem({ run, subtenantCode }: { run: Run; subtenantCode: string }) {
  const name = useRunName()(run);
  const counts = useCountsText()(run);
  const { id, total, done, startedAt, createdAt, finishedAt } = run;
  return (
    <li className="px-4 py-2.5">
      <div className="flex items-start justify-between gap-3">
        <Link
          to="/jobstatus-list"
          search={{ subtenant: subtenantCode, run: String(id) }}
          className="min-w-0 font-medium break-words text-primary-ink hover:underline"
        >
          <bdi>{name}</bdi>
        </Link>
        <span className="shrink-0">
          <RunStateChip run={run} />
        </span>
      </div>
      <p className="flex flex-wrap gap-x-4 text-xs text-muted">
        <span>{counts}</span>
        <Time at={finishedAt ?? startedAt ?? createdAt} />
      </p>
      {finishedAt === null && total !== null && (
        <div className="pt-1.5">
          <ProgressBar label={name} text={counts} done={done} total={total} />
        </div>
      )}
    </li>
  );
}
