import { useMutation, useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { Suspense, useState } from "react";
import { useFailureNotice } from "../api/failure-notice.ts";
import { lazyPart } from "../lazy-screen.ts";
import { latestOf } from "../draft.tsx";
import { useText } from "../i18n/i18n.tsx";
import { useRoleReason } from "../session/role-texts.ts";
import { RunStateChip, useRunName } from "../runs/run-labels.tsx";
import { Button } from "../ui/button.tsx";
import { Chip } from "../ui/chip.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { noticeSuccess } from "../ui/notice.tsx";
import { Card, Facts } from "../ui/page.tsx";
import { showFirst } from "../ui/show-first.ts";
import { EmptyState, ErrorState, Loading } from "../ui/states.tsx";
import { Time } from "../ui/time.tsx";
import { useRefresh } from "../live/use-refresh.ts";
import { subtenantLabel, subtenantsQuery } from "../session/workspace.ts";
import { type ScheduleRow, removeSchedule, restoreSchedule, runSchedule, schedulesQuery, updateSchedule } from "./queries.ts";
import { useTimingText } from "./texts.ts";

const JobDialog = lazyPart(() => import("./job-dialog.tsx"));
const ScheduleDialog = lazyPart(() => import("./schedule-dialog.tsx"));

type SchedulesProps = { tenantCode: string; subtenant: string; wanted: string | undefined };

export function Schedules({ tenantCode, subtenant, wanted }: SchedulesProps) {
  const t = useText();
  const { data: schedules, error, refetch } = useQuery(schedulesQuery(tenantCode, subtenant));
  const adminOnly = useRoleReason("configure");
  const [edited, setEdited] = useState<ScheduleRow | "new" | null>(null);
  return (
    <div className="grid gap-4">
      <div className="flex justify-end">
        <Button look="primary" disabledReason={adminOnly} onClick={() => setEdited("new")}>
          <Plus aria-hidden className="size-4" />
          {t("jobStatus.newSchedule")}
        </Button>
      </div>
      {!schedules && (error ? <ErrorState detail={error.message} onRetry={() => void refetch()} /> : <Loading rows={4} />)}
      {schedules?.length === 0 && (
        <Card>
          <EmptyState title={t("jobStatus.noSchedules")} />
        </Card>
      )}
      <ul className="grid grid-cols-1 gap-4 md:grid-cols-2">
        {schedules?.map((schedule) => {
          const isWanted = schedule.id === wanted;
          return (
            <li
              key={schedule.id}
              ref={isWanted ? showFirst : undefined}
              aria-current={isWanted || undefined}
              className="rounded-card aria-[current]:outline-2 aria-[current]:outline-primary-ink"
            >
              <ScheduleCard tenantCode={tenantCode} schedule={schedule} onEdit={() => setEdited(schedule)} />
            </li>
          );
        })}
      </ul>
      <Suspense fallback={null}>
        {edited === "new" && <JobDialog tenantCode={tenantCode} isOnce={false} onClose={() => setEdited(null)} />}
        {edited !== null && edited !== "new" && (
          <ScheduleDialog tenantCode={tenantCode} schedule={latestOf(edited, schedules)} onClose={() => setEdited(null)} />
        )}
      </Suspense>
    </div>
  );
}

type ScheduleProps = { tenantCode: string; schedule: ScheduleRow; onEdit: () => void };

function ScheduleCard({ tenantCode, schedule, onEdit }: ScheduleProps) {
  const t = useText();
  const nameOf = useRunName();
  const timing = useTimingText()(schedule);
  const { data: subtenants } = useQuery(subtenantsQuery(tenantCode));
  const facts = [
    { name: t("filter.subtenant"), value: subtenantLabel(subtenants, schedule.subtenantCode) },
    {
      name: t("jobStatus.when"),
      value: (
        <>
          {timing !== schedule.cron && <span className="block">{timing}</span>}
          <bdi dir="ltr" className="text-muted">
            {schedule.cron}
          </bdi>
        </>
      ),
    },
    {
      name: t("jobStatus.nextAt"),
      value: schedule.isActive ? <Time at={schedule.nextAt} /> : <Chip tone="warn">{t("jobStatus.off")}</Chip>,
    },
    {
      name: t("jobStatus.lastRun"),
      value: schedule.lastRun === null ? t("jobStatus.never") : <RunStateChip run={schedule.lastRun} />,
    },
  ];
  return (
    <Card title={nameOf(schedule)} className="flex h-full flex-col">
      <Facts facts={facts} />
      <Actions tenantCode={tenantCode} schedule={schedule} onEdit={onEdit} />
    </Card>
  );
}

function Actions({ tenantCode, schedule, onEdit }: ScheduleProps) {
  const { id, isActive } = schedule;
  const t = useText();
  const [isAsking, setIsAsking] = useState(false);
  const refresh = useRefresh(tenantCode);
  const operatorOnly = useRoleReason("operate");
  const adminOnly = useRoleReason("configure");
  const after = { onError: useFailureNotice(), onSettled: refresh };
  const run = useMutation({
    mutationFn: () => runSchedule(tenantCode, id),
    onSuccess: () => noticeSuccess(t("jobStatus.hasStarted")),
    ...after,
  });
  const change = useMutation({ mutationFn: () => updateSchedule(tenantCode, schedule, { isActive: !isActive }), ...after });
  const restore = useMutation({ mutationFn: () => restoreSchedule(tenantCode, id), ...after });
  const remove = useMutation({
    mutationFn: () => removeSchedule(tenantCode, id),
    onSuccess: () => noticeSuccess(t("jobStatus.scheduleRemoved"), { label: t("action.undo"), run: () => restore.mutate() }),
    onSettled: refresh,
  });
  return (
    <div className="mt-auto flex flex-wrap gap-2 p-4">
      <Button isBusy={run.isPending} disabledReason={operatorOnly} onClick={() => run.mutate()}>
        {t("jobStatus.runNow")}
      </Button>
      <Button disabledReason={adminOnly} onClick={onEdit}>
        {t("alerts.edit")}
      </Button>
      <Button isBusy={change.isPending} disabledReason={adminOnly} onClick={() => change.mutate()}>
        {t(isActive ? "jobStatus.switchOff" : "jobStatus.switchOn")}
      </Button>
      <Button disabledReason={adminOnly} onClick={() => setIsAsking(true)}>
        {t("jobStatus.removeSchedule")}
      </Button>
      {isAsking && (
        <ConfirmDialog
          onClose={() => setIsAsking(false)}
          title={t("jobStatus.removeSchedule")}
          text={t("jobStatus.removeScheduleText")}
          actionLabel={t("action.remove")}
          look="danger"
          onConfirm={() => remove.mutateAsync().then(() => setIsAsking(false))}
        />
      )}
    </div>
  );
}
