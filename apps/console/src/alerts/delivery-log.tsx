import type { AlertChannel, AlertDelivery } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import { useIntl } from "react-intl";
import type { Place } from "./alert-news.ts";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import { Button } from "../ui/button.tsx";
import { Chip, type Tone } from "../ui/chip.tsx";
import { Modal } from "../ui/modal.tsx";
import { EmptyState, ErrorState, Loading } from "../ui/states.tsx";
import { Time } from "../ui/time.tsx";
import { deliveriesQuery } from "./queries.ts";

export const deliveryStates: Record<AlertDelivery["state"], { label: TextKey; tone: Tone }> = {
  waiting: { label: "alerts.delivery.waiting", tone: "warn" },
  sent: { label: "alerts.delivery.sent", tone: "ok" },
  failed: { label: "alerts.delivery.failed", tone: "bad" },
};

/** How telling went, in a sentence. */
export function useDeliveryText(): (delivery: AlertDelivery) => string {
  const t = useText();
  return ({ recipients, state, status, failure, attempts }) => {
    if (recipients !== null) return t("alerts.mailed", { count: recipients });
    if (state === "sent") return t("alerts.accepted", { status: String(status ?? "") });
    if (failure === null) return t("alerts.noAnswerYet");
    // Isolated, as it may end with what another system said (Unicode isolates).
    return t("alerts.notTold", { fault: `\u2068${failure.message}\u2069`, attempts });
  };
}

type DeliveryLogProps = { place: Place; channel: AlertChannel; onClose: () => void };

/** What a channel was told, newest first, and how that went. */
export function DeliveryLog({ place, channel, onClose }: DeliveryLogProps) {
  const t = useText();
  const { formatMessage } = useIntl();
  const text = useDeliveryText();
  const { data: deliveries, error, refetch } = useQuery(deliveriesQuery(place, channel.id));
  return (
    <Modal title={t("alerts.logOf", { name: channel.name })} isWide onClose={onClose}>
      {!deliveries && (error ? <ErrorState detail={error.message} onRetry={() => void refetch()} /> : <Loading rows={6} />)}
      {deliveries?.length === 0 && <EmptyState title={t("alerts.noLog")} />}
      <ol className="mt-4 divide-y divide-line">
        {deliveries?.map((delivery) => (
          <li key={delivery.id} className="flex flex-wrap items-baseline gap-x-3 gap-y-1 py-2.5">
            <Chip tone={deliveryStates[delivery.state].tone}>{t(deliveryStates[delivery.state].label)}</Chip>
            <span className="min-w-0 flex-1 basis-60 break-words">
              {delivery.isTest ? t("alerts.testNotice") : t("alerts.openCount", { count: delivery.alertIds.length })} · {text(delivery)}
              {delivery.failure && delivery.nextAt && (
                <> {formatMessage({ id: "text.labelled" }, { label: t("message.nextAttempt"), value: <Time at={delivery.nextAt} /> })}</>
              )}
            </span>
            <span className="text-xs text-muted">
              <Time at={delivery.createdAt} />
            </span>
          </li>
        ))}
      </ol>
      <div className="mt-4 flex justify-end">
        <Button onClick={onClose}>{t("action.close")}</Button>
      </div>
    </Modal>
  );
}
