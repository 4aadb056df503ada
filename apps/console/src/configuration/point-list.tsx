import type { Connector, IntegrationPoint, Queue, Subtenant } from "@crossdock/contract";
import { Link } from "@tanstack/react-router";
import { useIntl } from "react-intl";
import { entityTypeLabels, entityTypeText } from "../entity-types.ts";
import { useText } from "../i18n/i18n.tsx";
import { PausedChips } from "../targets/paused-chips.tsx";
import { CircuitChip } from "../targets/circuit-chip.tsx";
import { TargetHeldUp } from "../targets/target-failure.tsx";
import { Chip } from "../ui/chip.tsx";
import { subtenantLabel } from "../session/workspace.ts";
import { directionText } from "./delivery-fields.tsx";
import { environmentTexts } from "./identity-fields.tsx";
import { Lacking } from "./lacking.tsx";
import { PausedChip, PointSwitch } from "./point-switch.tsx";

type PointListProps = {
  tenantCode: string;
  points: readonly IntegrationPoint[];
  connectors: readonly Connector[];
  subtenants: Subtenant[] | undefined;
  queues: readonly Queue[];
};

export function PointList({ tenantCode, points, connectors, subtenants, queues }: PointListProps) {
  const codes = [...new Set(points.map(({ subtenantCode }) => subtenantCode))];
  return (
    <div className="grid gap-6 p-4">
      {codes.map((code) => (
        <section key={code}>
          <div className="mb-2 flex flex-wrap items-center gap-2">
            <h2 className="font-semibold">{subtenantLabel(subtenants, code)}</h2>
            <PausedChips subtenant={subtenants?.find((subtenant) => subtenant.code === code)} />
          </div>
          <ul className="grid grid-cols-[repeat(auto-fill,minmax(min(19rem,100%),1fr))] gap-3">
            {points
              .filter(({ subtenantCode }) => subtenantCode === code)
              .map((point) => (
                <li key={point.id} className="min-w-0 rounded-card border border-line p-4">
                  <Point
                    tenantCode={tenantCode}
                    point={point}
                    connector={connectors.find((connector) => connector.code === point.connector)}
                    queues={queues.filter(({ integrationPoint }) => integrationPoint.id === point.id)}
                  />
                </li>
              ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

type PointProps = { tenantCode: string; point: IntegrationPoint; connector: Connector | undefined; queues: readonly Queue[] };

function Point({ tenantCode, point, connector, queues }: PointProps) {
  const t = useText();
  const { formatList } = useIntl();
  const { id, name, environment, sourceTypes, targetTypes, isActive, isPaused, pause } = point;
  return (
    <div className="flex h-full flex-col gap-3">
      <div className="flex flex-wrap items-start justify-between gap-2">
        <div className="min-w-0">
          <h3 dir="auto" className="truncate font-semibold">
            <Link to="/configuration" search={{ point: String(id) }} className="text-primary-ink hover:underline">
              {name}
            </Link>
          </h3>
          <p className="text-xs text-muted">
            {connector?.name ?? point.connector} · {t(directionText(point))}
          </p>
        </div>
        <div className="flex flex-wrap gap-1">
          {environment === "development" && <Chip tone="info">{t(environmentTexts[environment])}</Chip>}
          {!isActive && <Chip tone="neutral">{t("tenants.inactive")}</Chip>}
          {isPaused && <PausedChip pause={pause} />}
          {queues[0] && <CircuitChip {...queues[0]} />}
        </div>
      </div>
      {sourceTypes.length > 0 && (
        <p className="text-xs text-muted">
          {t("text.labelled", { label: t("filter.source"), value: formatList(sourceTypes.map((type) => t(entityTypeLabels[type]))) })}
        </p>
      )}
      <div className="text-xs empty:hidden">
        <Lacking point={point} connector={connector} />
      </div>
      {queues[0] && (
        <div className="text-xs">
          <TargetHeldUp tenantCode={tenantCode} queue={queues[0]} />
        </div>
      )}
      {targetTypes.length > 0 && (
        <div className="flex flex-1 flex-col justify-between gap-2 border-t border-line pt-2">
          <QueueList queues={queues} />
          <PointSwitch tenantCode={tenantCode} point={point} />
        </div>
      )}
    </div>
  );
}

/** What a target's queues have in them, with the ways there. */
export function QueueList({ queues }: { queues: readonly Queue[] }) {
  const t = useText();
  const { formatNumber } = useIntl();
  return (
    <ul className="grid grid-cols-[repeat(auto-fill,minmax(min(16rem,100%),1fr))] gap-x-8 text-xs text-muted">
      {queues.map(({ id, entityType, depth: { ready, inHand, retrying, parked, dead } }) => {
        const waiting = ready + inHand + retrying + parked;
        return (
          <li key={id} className="flex min-h-6 flex-wrap items-center gap-x-3 gap-y-2">
            <Link to="/queue" search={{ queue: String(id) }} className="me-auto text-primary-ink hover:underline">
              {entityTypeText(t, entityType)}
            </Link>
            <span className={waiting > 0 ? "font-medium text-ink" : ""}>
              {t("text.labelled", { label: t("health.waiting"), value: formatNumber(waiting) })}
            </span>
            {dead > 0 && (
              <Link to="/deadletter-list" search={{ queue: String(id) }} className="text-bad underline">
                {t("text.labelled", { label: t("health.dead"), value: formatNumber(dead) })}
              </Link>
            )}
          </li>
        );
      })}
    </ul>
  );
}
