import type { Delays as Known, Stream } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useIntl } from "react-intl";
import { entityTypeLabels } from "../entity-types.ts";
import { useText } from "../i18n/i18n.tsx";
import { Chip } from "../ui/chip.tsx";
import { Card } from "../ui/page.tsx";
import { ErrorState } from "../ui/states.tsx";
import { Time } from "../ui/time.tsx";
import { delaysQuery } from "./queries.ts";

type DelaysProps = { tenantCode: string; subtenantCode: string };

/** What usually comes and doesn't: silent streams, the oldest order without its goods, the age of stock figures. */
export function Delays({ tenantCode, subtenantCode }: DelaysProps) {
  const t = useText();
  const { data, error, refetch } = useQuery(delaysQuery(tenantCode, subtenantCode));
  if (!data && error)
    return (
      <Card title={t("hub.delays")}>
        <ErrorState detail={error.message} onRetry={() => void refetch()} />
      </Card>
    );
  // Without a history of some weeks nobody knows what is usual, and there is nothing to say.
  if (!data || data.streams.length + data.orders.length + data.stock.length === 0) return null;
  return (
    <Card
      title={t("hub.delays")}
      actions={
        <Link to="/alerts" search={{ subtenant: subtenantCode }} className="text-primary-ink hover:underline">
          {t("menu.alerts")}
        </Link>
      }
    >
      <ul className="divide-y divide-line">
        {data.streams.map((stream) => (
          <StreamItem key={stream.entityType} stream={stream} />
        ))}
        <Ages known={data} />
      </ul>
    </Card>
  );
}

const row = "flex flex-wrap items-baseline gap-x-4 gap-y-1 px-4 py-2.5";

function StreamItem({ stream: { entityType, lastAt, usualPerHour, isSilent } }: { stream: Stream }) {
  const t = useText();
  const { formatNumber } = useIntl();
  const usual = formatNumber(usualPerHour, { maximumFractionDigits: 1 });
  return (
    <li className={row}>
      <span className="min-w-24 font-medium">{t(entityTypeLabels[entityType])}</span>
      <span>
        {t("hub.lastCame")} <Time at={lastAt} />
      </span>
      <span className="text-muted">{t("hub.usual", { count: usual })}</span>
      {isSilent && <Chip tone="bad">{t("hub.silent")}</Chip>}
    </li>
  );
}

function Ages({ known: { orders, stock } }: { known: Known }) {
  const t = useText();
  return (
    <>
      {orders.map(({ orderNumber, orderedAt, open }) => (
        <li key={orderNumber} className={row}>
          <span className="min-w-24 font-medium">{t("hub.oldestOrder")}</span>
          <Link to="/queue" search={{ search: orderNumber, entity: "order" }} className="text-primary-ink hover:underline">
            <bdi>{orderNumber}</bdi>
          </Link>
          <Time at={orderedAt} />
          <span className="text-muted">{t("hub.openOrders", { count: open })}</span>
        </li>
      ))}
      {stock.map(({ receivedAt }) => (
        <li key={receivedAt} className={row}>
          <span className="min-w-24 font-medium">{t("hub.stockAge")}</span>
          <Time at={receivedAt} />
        </li>
      ))}
    </>
  );
}
