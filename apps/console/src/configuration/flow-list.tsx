import type { IntegrationPoint } from "@crossdock/contract";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useIntl } from "react-intl";
import { entityTypeLabels } from "../entity-types.ts";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import type { Edge, Flow, Health } from "./flow.ts";

export const healthTexts: Record<Health, TextKey> = { ok: "flow.ok", held: "flow.held", failing: "flow.failing" };
const looks: Record<Health, string> = {
  ok: "border-line hover:bg-hover",
  held: "border-warn bg-warn-soft text-warn hover:brightness-95",
  failing: "border-bad bg-bad-soft text-bad hover:brightness-95",
};

/** What each system is sent, with the way to what waits there or needs somebody, and what each sends. */
export function FlowList({ flow: { sources, targets, edges } }: { flow: Flow }) {
  const t = useText();
  const { formatList } = useIntl();
  return (
    <div className="grid grid-cols-1 gap-6 lg:grid-cols-2">
      <Side title={t("flow.targets")}>
        {targets.map((target) => (
          <Point key={target.id} point={target}>
            <span className="flex flex-wrap gap-1.5">
              {edges.map((edge) => edge.targetId === target.id && <Way key={edge.id} edge={edge} />)}
            </span>
          </Point>
        ))}
      </Side>
      <Side title={t("flow.sources")}>
        {sources.map((source) => (
          <Point key={source.id} point={source}>
            <span className="text-muted">{formatList(source.sourceTypes.map((type) => t(entityTypeLabels[type])))}</span>
          </Point>
        ))}
      </Side>
    </div>
  );
}

function Side({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="min-w-0">
      <h2 className="mb-1 text-xs text-muted">{title}</h2>
      <ul aria-label={title} className="divide-y divide-line border-y border-line">
        {children}
      </ul>
    </section>
  );
}

function Point({ point: { id, name }, children }: { point: IntegrationPoint; children: ReactNode }) {
  return (
    <li className="grid gap-1.5 py-2.5">
      <Link to="/configuration" search={{ point: String(id) }} className="w-fit font-medium text-primary-ink hover:underline">
        {name}
      </Link>
      {children}
    </li>
  );
}

/** One kind of object on its way to a target; leads to its dead letters, otherwise to what waits. */
function Way({ edge: { entityType, queueId, waiting, dead, health } }: { edge: Edge }) {
  const t = useText();
  const { formatNumber } = useIntl();
  const counted = (label: TextKey, value: number): string => t("text.labelled", { label: t(label), value: formatNumber(value) });
  const count = dead > 0 ? counted("health.dead", dead) : waiting > 0 && counted("health.waiting", waiting);
  const words = [t(entityTypeLabels[entityType]), health !== "ok" && !count && t(healthTexts[health]), count].filter(Boolean).join(" · ");
  const look = `rounded-full border px-2.5 py-1 text-xs font-medium tabular-nums ${looks[health]}`;
  if (queueId === null) return <span className={look}>{words}</span>;
  const queue = String(queueId);
  const title = t(healthTexts[health]);
  return dead > 0 ? (
    <Link to="/deadletter-list" search={{ queue }} title={title} className={look}>
      {words}
    </Link>
  ) : (
    <Link to="/queue" search={{ queue }} title={title} className={look}>
      {words}
    </Link>
  );
}
