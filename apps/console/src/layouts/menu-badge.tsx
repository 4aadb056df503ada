import type { Queue } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import { useIntl } from "react-intl";
import { activeTenantCode } from "../settings.ts";
import { queuesQuery } from "../workspace.ts";
import type { Badge } from "./menu.ts";

type MenuBadgeProps = { badge: Badge; title: string; className: string };

/** How many messages of the active tenant wait behind an entry; nothing when there are none. */
export function MenuBadge(props: MenuBadgeProps) {
  const tenantCode = activeTenantCode.use();
  return tenantCode !== null && <Count {...props} tenantCode={tenantCode} />;
}

function Count({ badge, title, className, tenantCode }: MenuBadgeProps & { tenantCode: string }) {
  const { formatNumber } = useIntl();
  const { data: count = 0 } = useQuery({ ...queuesQuery(tenantCode), select: ({ items }) => sumOf(items, badge) });
  if (count === 0) return null;
  return (
    <span
      aria-label={`${title}: ${formatNumber(count)}`}
      className={`rounded-full font-semibold ${className} ${badge === "dead" ? "bg-bad-soft text-bad" : "bg-warn-soft text-warn"}`}
    >
      {formatNumber(count, { notation: "compact" })}
    </span>
  );
}

function sumOf(queues: Queue[], badge: Badge): number {
  return queues.reduce((sum, queue) => sum + queue.depth[badge], 0);
}
