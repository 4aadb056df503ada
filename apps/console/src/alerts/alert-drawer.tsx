import type { AnswerOf, Routes } from "@crossdock/contract";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useRouter } from "@tanstack/react-router";
import { AlarmClockOff, Check, ExternalLink, RotateCcw, SlidersHorizontal } from "lucide-react";
import { alertKindTexts, AlertStateChip } from "./alert-labels.tsx";
import { eventTexts, useSaying } from "./alert-texts.ts";
import { useFaultSaying } from "../targets/circuit-fault.ts";
import type { Place } from "./alert-news.ts";
import { useFailureNotice } from "../api/failure-notice.ts";
import { useText } from "../i18n/i18n.tsx";
import { NotThere } from "../api/not-there.tsx";
import { useRoleReason } from "../session/role-texts.ts";
import { Failure } from "../targets/target-failure.tsx";
import { Button, buttonClass } from "../ui/button.tsx";
import { Drawer } from "../ui/drawer.tsx";
import { OptionalChoice } from "../ui/combobox-field.tsx";
import { Menu } from "../ui/menu.tsx";
import { noticeSuccess } from "../ui/notice.tsx";
import { Card, Facts } from "../ui/page.tsx";
import { ExactTime, Time } from "../ui/time.tsx";
import { useRefresh } from "../live/use-refresh.ts";
import { alertQuery, peopleQuery, updateAlert } from "./queries.ts";
import { listOf } from "./texts.ts";

type Whole = AnswerOf<Routes["getAlert"]>;
type AlertDrawerProps = { place: Place; alertId: number; onClose: () => void };

/** An alert with its history and what can be done about it, beside the list. */
export default function AlertDrawer({ place, alertId, onClose }: AlertDrawerProps) {
  const t = useText();
  const { data: alert, error, refetch } = useQuery(alertQuery(place, alertId));
  return (
    <Drawer isOpen onClose={onClose} title={alert ? t(alertKindTexts[alert.kind]) : t("alerts.one")}>
      {!alert && <NotThere error={error} onRetry={() => void refetch()} missing={t("state.notThere")} />}
      {alert && (
        <div className="grid gap-4">
          <AlertCard place={place} alert={alert} />
          <History alert={alert} />
        </div>
      )}
    </Drawer>
  );
}

function AlertCard({ place, alert }: { place: Place; alert: Whole }) {
  const t = useText();
  const say = useSaying();
  const router = useRouter();
  const sayFault = useFaultSaying();
  const fault = alert.details.circuitFault;
  const href = listOf(alert);
  const facts = [
    { name: t("filter.state"), value: <AlertStateChip state={alert.state} /> },
    { name: t("alerts.since"), value: <ExactTime at={alert.since} /> },
    { name: t("alerts.firedAt"), value: <ExactTime at={alert.firedAt} /> },
    ...(alert.recoveredAt === null ? [] : [{ name: t("alerts.recoveredAt"), value: <ExactTime at={alert.recoveredAt} /> }]),
    ...(alert.snoozedUntil === null ? [] : [{ name: t("alerts.snoozedUntil"), value: <ExactTime at={alert.snoozedUntil} /> }]),
    { name: t("filter.subtenant"), value: <bdi>{alert.subtenant?.name ?? "–"}</bdi> },
    { name: t("triage.owner"), value: <bdi>{alert.owner?.name ?? t("triage.nobody")}</bdi> },
  ];
  return (
    <Card>
      <p className="p-4 pb-0 text-base font-medium break-words">
        <bdi>{say(alert)}</bdi>
      </p>
      {fault && alert.state !== "recovered" && (
        <p className="px-4 pt-2 text-muted">{place.isInstallation ? sayFault(fault) : <Failure fault={fault} />}</p>
      )}
      {alert.isQuiet && <p className="px-4 pt-2 text-muted">{t("alerts.quietLong")}</p>}
      <Facts facts={facts} />
      <div className="flex flex-wrap items-end gap-2 p-4 pt-0">
        <a
          href={href}
          className={buttonClass()}
          onClick={(event) => {
            if (event.ctrlKey || event.metaKey || event.shiftKey) return;
            event.preventDefault();
            void router.navigate({ href });
          }}
        >
          <ExternalLink aria-hidden className="size-4" />
          {t("alerts.openList")}
        </a>
        <Link
          to="/alerts"
          search={{ ...(place.isInstallation && { of: "installation" }), view: "rules", rule: String(alert.ruleId) }}
          className={buttonClass()}
        >
          <SlidersHorizontal aria-hidden className="size-4" />
          {t("alerts.openRule")}
        </Link>
        {alert.state !== "recovered" && <Actions place={place} alert={alert} />}
      </div>
    </Card>
  );
}

const inHours = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString();
const snoozeHours = [1, 4, 24, 168] as const;

function Actions({ place, alert }: { place: Place; alert: Whole }) {
  const t = useText();
  const refresh = useRefresh(place.tenantCode);
  const disabledReason = useRoleReason(place.isInstallation ? "administer" : "operate");
  const onError = useFailureNotice();
  const { data: people = [] } = useQuery(peopleQuery(place));
  const change = useMutation({
    mutationFn: (body: Parameters<typeof updateAlert>[2]) => updateAlert(place, alert.id, body),
    onSuccess: () => noticeSuccess(t("notice.saved")),
    onError,
    onSettled: refresh,
  });
  const snooze = (hours: number) => change.mutate({ state: "snoozed", snoozedUntil: inHours(hours) });
  return (
    <>
      {alert.state === "firing" ? (
        <Button
          look="primary"
          isBusy={change.isPending}
          disabledReason={disabledReason}
          onClick={() => change.mutate({ state: "acknowledged" })}
        >
          <Check aria-hidden className="size-4" />
          {t("alerts.acknowledge")}
        </Button>
      ) : (
        <Button isBusy={change.isPending} disabledReason={disabledReason} onClick={() => change.mutate({ state: "firing" })}>
          <RotateCcw aria-hidden className="size-4" />
          {t("alerts.reopen")}
        </Button>
      )}
      {disabledReason === null ? (
        <Menu
          trigger={
            <Button>
              <AlarmClockOff aria-hidden className="size-4" />
              {t("alerts.snooze")}
            </Button>
          }
          actions={snoozeHours.map((hours) => ({
            label: hours < 48 ? t("alerts.hours", { count: hours }) : t("alerts.days", { count: hours / 24 }),
            run: () => snooze(hours),
          }))}
        />
      ) : (
        <Button disabledReason={disabledReason}>{t("alerts.snooze")}</Button>
      )}
      {disabledReason === null && (
        <OptionalChoice
          className="min-w-44"
          label={t("triage.owner")}
          value={alert.owner === null ? "" : String(alert.owner.id)}
          onChange={(id) => change.mutate({ ownerId: id === "" ? null : Number(id) })}
          none={t("triage.nobody")}
          options={people.map(({ id, name }) => ({ value: String(id), label: name }))}
        />
      )}
    </>
  );
}

function History({ alert: { events } }: { alert: Whole }) {
  const t = useText();
  return (
    <Card title={t("alerts.history")}>
      <ol className="divide-y divide-line">
        {events.map(({ id, at, kind, actorName, detail }) => (
          <li key={id} className="flex flex-wrap items-baseline gap-x-3 gap-y-1 px-4 py-2.5">
            <span className="font-medium">{t(eventTexts[kind])}</span>
            {detail !== null && <span className="text-muted">{kind === "snoozed" ? <ExactTime at={detail} /> : <bdi>{detail}</bdi>}</span>}
            <span className="min-w-0 flex-1 text-end text-xs text-muted">
              <bdi>{actorName ?? t("alerts.byWatch")}</bdi> · <Time at={at} />
            </span>
          </li>
        ))}
      </ol>
    </Card>
  );
}
