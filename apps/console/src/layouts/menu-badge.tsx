import type { Queue } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import { useIntl } from "react-intl";
import { firingMax, firingQuery } from "../alerts/alert-news.ts";
import { queuesQuery, useActiveTenant } from "../session/workspace.ts";
import type { Badge } from "./menu.ts";

type MenuBadgeProps = { badge: Badge; className: string };

/** How much of the active tenant waits behind an entry: messages, or alerts that fire; nothing when there is none. */
export function MenuBadge(props: MenuBadgeProps) {
  const tenantCode = useActiveTenant()?.code;
  if (tenantCode === undefined) return null;
  return props.badge === "firing" ? (
    <Firing {...props} tenantCode={tenantCode} />
  ) : (
    <Waiting {...props} badge={props.badge} tenantCode={tenantCode} />
  );
}

type OfTenant = MenuBadgeProps & { tenantCode: string };

function Firing(props: OfTenant) {
  const { data: count = 0 } = useQuery(firingQuery(props.tenantCode));
  return <Count {...props} count={count} isFloor={count >= firingMax} />;
}

function Waiting(props: OfTenant & { badge: "retrying" | "dead" }) {
  const { data: count = 0 } = useQuery({ ...queuesQuery(props.tenantCode), select: ({ items }) => sumOf(items, props.badge) });
  return <Count {...props} count={count} />;
}

function Count({ badge, className, count, isFloor = false }: MenuBadgeProps & { count: number; isFloor?: boolean }) {
  const { formatNumber } = useIntl();
  if (count === 0) return null;
  const plus = isFloor ? "+" : "";
  return (
    <span className={`rounded-full font-semibold ${className} ${badge !== "retrying" ? "bg-bad-soft text-bad" : "bg-warn-soft text-warn"}`}>
      <span aria-hidden>
        {formatNumber(count, { notation: "compact" })}
        {plus}
      </span>
      <span className="sr-only">
        {formatNumber(count)}
        {plus}
      </span>
    </span>
  );
}

function sumOf(queues: Queue[], badge: "retrying" | "dead"): number {
  return queues.reduce((sum, queue) => sum + queue.depth[badge], 0);
}
