import { useQuery } from "@tanstack/react-query";
import { ListChecks } from "lucide-react";
import { Suspense } from "react";
import { useIntl } from "react-intl";
import { lazyPart } from "../lazy-screen.ts";
import { useText } from "../i18n/i18n.tsx";
import { jobsQuery } from "../jobs/queries.ts";
import { activeTenantCode } from "../settings.ts";
import { HeaderPopover, PopoverEmpty, PopoverTitle } from "./header-popover.tsx";

const JobList = lazyPart(() => import("../jobs/job-list.tsx"));

/** Bulk operations of the active tenant: how many run now, and how the newest ones went. */
export function JobsPopover() {
  const t = useText();
  const { formatNumber } = useIntl();
  const tenantCode = activeTenantCode.use();
  const { data: jobs } = useQuery({ ...jobsQuery(tenantCode ?? ""), enabled: tenantCode !== null });
  const runningCount = jobs?.filter(({ state }) => state === "running").length ?? 0;
  const label = runningCount > 0 ? t("jobs.titleRunning", { count: runningCount }) : t("jobs.title");
  return (
    <HeaderPopover
      label={label}
      trigger={
        <>
          <ListChecks aria-hidden className="size-5" />
          {runningCount > 0 && (
            <span className="absolute -end-0.5 -top-0.5 min-w-4.5 rounded-full bg-secondary px-1 text-center text-[0.6875rem] leading-4.5 font-semibold text-on-secondary">
              {formatNumber(runningCount)}
            </span>
          )}
        </>
      }
    >
      {(close) => (
        <>
          <PopoverTitle>{t("jobs.title")}</PopoverTitle>
          {tenantCode === null ? (
            <PopoverEmpty icon={<ListChecks aria-hidden className="size-8" strokeWidth={1.4} />}>{t("tenants.activateFirst")}</PopoverEmpty>
          ) : (
            <Suspense fallback={null}>
              <JobList tenantCode={tenantCode} onLeave={close} />
            </Suspense>
          )}
        </>
      )}
    </HeaderPopover>
  );
}
