import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useText } from "../i18n/i18n.tsx";
import { useIsPermitted } from "../session/session.ts";
import { buttonClass } from "../ui/button.tsx";
import { EmptyState, ErrorState, Loading } from "../ui/states.tsx";
import { Time } from "../ui/time.tsx";
import { KnownJob } from "./job-card.tsx";
import { jobsQuery } from "./queries.ts";

/** The tenant's newest jobs; each leads to all of its items. */
export default function JobList({ tenantCode, onLeave }: { tenantCode: string; onLeave: () => void }) {
  const t = useText();
  const mayOperate = useIsPermitted("operate");
  const { data: jobs, error, refetch } = useQuery(jobsQuery(tenantCode));
  if (!jobs) return error ? <ErrorState detail={error.message} onRetry={() => void refetch()} /> : <Loading rows={3} />;
  if (jobs.length === 0) {
    const toQueue = (
      <Link to="/queue" onClick={onLeave} className={buttonClass()}>
        {t("menu.queue")}
      </Link>
    );
    return <EmptyState title={t("jobs.none")} hint={t("jobs.noneHint")} action={mayOperate && toQueue} />;
  }
  return (
    <ul className="grid gap-3 p-3">
      {jobs.map((job) => (
        <li key={job.id}>
          <KnownJob tenantCode={tenantCode} job={job} onLeave={onLeave} />
          <p className="mt-1 flex justify-between gap-3 px-1 text-xs text-muted">
            <Link to="/queue" search={{ job: String(job.id) }} onClick={onLeave} className="text-primary-ink underline">
              {t("jobs.details")}
            </Link>
            <Time at={job.finishedAt ?? job.startedAt ?? job.createdAt} />
          </p>
        </li>
      ))}
    </ul>
  );
}
