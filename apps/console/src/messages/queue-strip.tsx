import type { Queue } from "@crossdock/contract";
import { useState, type KeyboardEvent } from "react";
import { useIntl } from "react-intl";
import { useText } from "../i18n/i18n.tsx";
import { usePauseTitle } from "../targets/pause-of-point.tsx";
import { CircuitChip } from "../targets/circuit-chip.tsx";
import { Chip } from "../ui/chip.tsx";

type QueueStripProps = { queues: Queue[] | undefined; selectedId: string | undefined; onSelect: (id: string | null) => void };

/**
 * The live counts of every queue, those with the most trouble first; choosing one restricts the list below. One stop of the Tab key, in which
 * the arrows, Home and End go from tile to tile.
 */
export function QueueStrip({ queues, selectedId, onSelect }: QueueStripProps) {
  const t = useText();
  const ordered = useTroubleFirst(queues);
  const [reachedId, setReachedId] = useState("");
  if (ordered?.length === 0) return null;
  const has = (wanted: string | undefined) => ordered?.some(({ id }) => String(id) === wanted);
  const stopId = [reachedId, selectedId].find(has) ?? String(ordered?.[0]?.id);
  return (
    <ul aria-label={t("queue.queues")} onKeyDown={moveFocus} className="-mx-1 mb-2 flex snap-x scroll-px-1 gap-3 overflow-x-auto p-1 pb-2">
      {ordered
        ? ordered.map((queue) => {
            const isSelected = String(queue.id) === selectedId;
            return (
              <li key={queue.id} className="shrink-0 snap-start">
                <QueueTile
                  queue={queue}
                  isSelected={isSelected}
                  isStop={String(queue.id) === stopId}
                  onFocus={() => setReachedId(String(queue.id))}
                  onClick={() => onSelect(isSelected ? null : String(queue.id))}
                />
              </li>
            );
          })
        : Array.from({ length: 4 }, (_, index) => <li key={index} className="h-24 w-64 shrink-0 animate-pulse rounded-card bg-line" />)}
    </ul>
  );
}

function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const { key, currentTarget: strip } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  const tiles = [...strip.querySelectorAll("button")];
  const at = tiles.findIndex((tile) => tile === document.activeElement);
  const forward = getComputedStyle(strip).direction === "rtl" ? -1 : 1;
  const moves: Record<string, number> = { ArrowRight: at + forward, ArrowLeft: at - forward, Home: 0, End: tiles.length - 1 };
  const next = tiles[moves[key] ?? -1];
  if (!next) return;
  event.preventDefault();
  next.focus({ focusVisible: true });
}

/** Ordered as the queues were when the screen was opened: a tile never moves away under the pointer. Targets that don't answer come before all counts. */
function useTroubleFirst(queues: Queue[] | undefined): Queue[] | undefined {
  const [first, setFirst] = useState<ReadonlyMap<number, Queue>>();
  if (queues && !first) setFirst(new Map(queues.map((queue) => [queue.id, queue])));
  return queues?.toSorted((a, b) => {
    const [left, right] = [first?.get(a.id), first?.get(b.id)];
    if (!left || !right) return 0;
    const [{ depth: less }, { depth: more }] = [left, right];
    return (
      Number(isDown(right)) - Number(isDown(left)) || more.dead - less.dead || more.retrying - less.retrying || more.ready - less.ready
    );
  });
}

/** What doesn't fit a third of a tile in full. */
const fullFiguresBelow = 100_000;

type QueueTileProps = { queue: Queue; isSelected: boolean; isStop: boolean; onFocus: () => void; onClick: () => void };

function QueueTile({ queue, isSelected, isStop, onFocus, onClick }: QueueTileProps) {
  const t = useText();
  const { formatNumber } = useIntl();
  const pauseTitleOf = usePauseTitle();
  const { depth } = queue;
  const figures = [
    { name: t("queue.depth.waiting"), value: depth.ready + depth.inHand + depth.parked, tone: "" },
    { name: t("queue.depth.retrying"), value: depth.retrying, tone: "text-warn" },
    { name: t("queue.depth.dead"), value: depth.dead, tone: "text-bad" },
  ];
  return (
    <button
      type="button"
      aria-pressed={isSelected}
      tabIndex={isStop ? 0 : -1}
      onFocus={onFocus}
      onClick={onClick}
      title={[
        queue.name,
        queue.integrationPoint.name,
        ...figures.map(({ name, value }) => t("text.labelled", { label: name, value: formatNumber(value) })),
        ...(queue.pause ? [pauseTitleOf(queue.pause)] : []),
      ].join(" · ")}
      className={`grid h-full w-64 grid-cols-1 gap-0.5 rounded-card border-2 bg-paper px-3 py-1.5 text-start shadow-[0_1px_4px_#0000001a] ${
        isSelected ? "border-primary-ink" : "border-transparent hover:border-line"
      }`}
    >
      <bdi className="truncate leading-5 font-semibold">{queue.name}</bdi>
      <span className="flex min-h-5 min-w-0 items-center justify-between gap-2">
        <bdi className="truncate text-xs leading-4 text-muted">{queue.integrationPoint.name}</bdi>
        <QueueStatus queue={queue} />
      </span>
      <span className="grid grid-cols-[repeat(3,minmax(0,1fr))] gap-2">
        {figures.map(({ name, value, tone }) => (
          <span key={name} className="min-w-0">
            <span className={`block truncate text-base leading-5 font-semibold tabular-nums ${value > 0 ? tone : ""}`}>
              {formatNumber(value, value < fullFiguresBelow ? {} : { notation: "compact", maximumFractionDigits: 1 })}
            </span>
            <span className="block truncate text-xs leading-4 text-muted">{name}</span>
          </span>
        ))}
      </span>
    </button>
  );
}

function isDown({ circuit }: Queue): boolean {
  return circuit === "open";
}

function QueueStatus({ queue }: { queue: Queue }) {
  const t = useText();
  if (queue.isPaused) return <Chip tone="warn">{t("queue.paused")}</Chip>;
  return <CircuitChip {...queue} />;
}
