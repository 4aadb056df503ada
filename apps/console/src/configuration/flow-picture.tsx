import type { IntegrationPoint, Queue } from "@crossdock/contract";
import { useEffect, useMemo, useRef, useState } from "react";
import { useIntl } from "react-intl";
import { entityTypeLabels, entityTypes } from "../entity-types.ts";
import { useText } from "../i18n/i18n.tsx";
import { EmptyState } from "../ui/states.tsx";
import { FlowList, healthTexts } from "./flow-list.tsx";
import { flowOf, type Edge, type Flow, type Health } from "./flow.ts";

const rowHeight = 64;
const boxHeight = 44;
/** A box's share of the picture's width. */
const boxShare = 0.26;

const strokes: Record<Health, string> = {
  ok: "stroke-ok opacity-50",
  held: "stroke-warn [stroke-dasharray:6_4]",
  failing: "stroke-bad forced-colors:[stroke-dasharray:2_3]",
};
/** What needs somebody lies above what flows. */
const healths: readonly Health[] = ["ok", "held", "failing"];
const byHealth = (one: Edge, other: Edge): number => healths.indexOf(one.health) - healths.indexOf(other.health);
const depthTones: Record<Health, string> = { ok: "border-ok text-ok", held: "border-warn text-warn", failing: "border-bad text-bad" };

/** Systems, on either side, of which a picture can be followed. */
const drawnMax = 40;

type FlowPictureProps = { points: readonly IntegrationPoint[]; queues: readonly Queue[]; isOfSubtenant: boolean };

/** Where things come from, what they are and where they go; the list below says the same in words, on a phone it alone. */
export function FlowPicture({ points, queues, isOfSubtenant }: FlowPictureProps) {
  const t = useText();
  const flow = useMemo(() => flowOf(points, queues, entityTypes), [points, queues]);
  if (flow.edges.length === 0) return <EmptyState title={t("state.noRecord")} hint={t("flow.none")} />;
  const count = flow.sources.length + flow.targets.length;
  return (
    <div className="grid gap-6 p-4">
      {isOfSubtenant || count <= drawnMax ? (
        <div aria-hidden className="grid gap-4 max-sm:hidden">
          <Picture flow={flow} />
          <Legend />
        </div>
      ) : (
        <p className="text-muted max-sm:hidden">{t("flow.chooseSubtenant", { count })}</p>
      )}
      <FlowList flow={flow} />
    </div>
  );
}

function Picture({ flow }: { flow: Flow }) {
  const t = useText();
  const { formatNumber } = useIntl();
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  const columns = [
    flow.sources.map(({ id, name }) => ({ key: `source ${id}`, name })),
    flow.entityTypes.map((type) => ({ key: type, name: t(entityTypeLabels[type]) })),
    flow.targets.map(({ id, name }) => ({ key: `target ${id}`, name })),
  ];
  const height = Math.max(...columns.map((column) => column.length)) * rowHeight;
  const boxWidth = width * boxShare;
  const startOf = (column: number) => (column * (width - boxWidth)) / 2;
  const middleOf = (column: number, key: string): number => {
    const names = columns[column] ?? [];
    const place = names.findIndex((entry) => entry.key === key);
    return (height - names.length * rowHeight) / 2 + place * rowHeight + rowHeight / 2;
  };
  /** Those whose queues of a target hold something: their numbers stand one below the other where its edges end. */
  const entityTypesOf = (id: number) =>
    flow.edges.flatMap(({ targetId, entityType, waiting, dead }) => (targetId === id && waiting + dead > 0 ? [entityType] : []));
  return (
    <div ref={frame} className="relative min-w-0" style={{ height }}>
      <svg width={width} height={height} className="absolute inset-0 rtl:-scale-x-100">
        {flow.edges.toSorted(byHealth).map((edge) => {
          const [from, to] = edge.targetId === null ? [0, 1] : [1, 2];
          const y1 = middleOf(from, edge.targetId === null ? `source ${edge.sourceId}` : edge.entityType);
          const y2 = middleOf(to, edge.targetId === null ? edge.entityType : `target ${edge.targetId}`);
          const x1 = startOf(from) + boxWidth;
          const x2 = startOf(to);
          const half = (x1 + x2) / 2;
          return (
            <path
              key={edge.id}
              d={`M${x1},${y1} C${half},${y1} ${half},${y2} ${x2},${y2}`}
              className={`fill-none ${strokes[edge.health]}`}
              strokeWidth={Math.min(8, 1.5 + Math.log10(1 + edge.waiting + edge.dead) * 1.6)}
            />
          );
        })}
      </svg>
      {flow.edges.map(({ id, targetId, entityType, waiting, dead, health }) =>
        targetId === null || waiting + dead === 0 ? null : (
          <span
            key={id}
            className={`absolute -translate-y-1/2 rounded-full border bg-paper px-1.5 text-xs tabular-nums ${depthTones[health]}`}
            style={{
              insetInlineEnd: boxWidth + 6,
              top:
                middleOf(2, `target ${targetId}`) +
                (entityTypesOf(targetId).indexOf(entityType) - (entityTypesOf(targetId).length - 1) / 2) * 18,
            }}
          >
            {formatNumber(waiting + dead)}
          </span>
        ),
      )}
      {columns.map((column, index) =>
        column.map(({ key, name }) => (
          <span
            key={key}
            title={name}
            className="absolute grid items-center rounded-card border border-line bg-page px-2 text-sm"
            style={{ insetInlineStart: startOf(index), top: middleOf(index, key) - boxHeight / 2, width: boxWidth, height: boxHeight }}
          >
            <span className="line-clamp-2 break-words">{name}</span>
          </span>
        )),
      )}
    </div>
  );
}

function Legend() {
  const t = useText();
  return (
    <p className="flex flex-wrap gap-x-6 gap-y-1 text-xs text-muted">
      {healths.map((health) => (
        <span key={health} className="flex items-center gap-2">
          <svg width="28" height="8">
            <path d="M0,4 H28" className={strokes[health]} strokeWidth="2.5" />
          </svg>
          {t(healthTexts[health])}
        </span>
      ))}
    </p>
  );
}

function useWidth(frame: React.RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(640);
  useEffect(() => {
    const element = frame.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, [frame]);
  return width;
}
