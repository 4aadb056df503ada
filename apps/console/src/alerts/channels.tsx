import type { AlertChannel, AlertDelivery } from "@crossdock/contract";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Mail, Plus, Send, Webhook } from "lucide-react";
import { Suspense, useState } from "react";
import { useIntl } from "react-intl";
import { useFailureNotice } from "../api/failure-notice.ts";
import { lazyPart } from "../lazy-screen.ts";
import type { Place } from "./alert-news.ts";
import { latestOf } from "../draft.tsx";
import { useText } from "../i18n/i18n.tsx";
import { useRoleReason } from "../session/role-texts.ts";
import { SecretOnce } from "../secret-once.tsx";
import { Button } from "../ui/button.tsx";
import { Switch } from "../ui/choice.tsx";
import { Chip } from "../ui/chip.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { Modal } from "../ui/modal.tsx";
import { noticeSuccess } from "../ui/notice.tsx";
import { Card } from "../ui/page.tsx";
import { EmptyState, ErrorState, Loading } from "../ui/states.tsx";
import { Time } from "../ui/time.tsx";
import { useRefresh } from "../live/use-refresh.ts";
import { DeliveryLog, deliveryStates, useDeliveryText } from "./delivery-log.tsx";
import { channelsQuery, recipientsQuery, removeChannel, rotateChannel, testChannel, updateChannel } from "./queries.ts";

const ChannelDialog = lazyPart(() => import("./channel-dialog.tsx"));

/** Where alerts are told besides the popover, which has them all. */
export function Channels({ place }: { place: Place }) {
  const t = useText();
  const { data: channels, error, refetch } = useQuery(channelsQuery(place));
  const disabledReason = useRoleReason("configure");
  const [edited, setEdited] = useState<AlertChannel | "new" | null>(null);
  return (
    <div className="grid grid-cols-1 gap-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-muted">{t("alerts.inPopover")}</p>
        <Button look="primary" disabledReason={disabledReason} onClick={() => setEdited("new")}>
          <Plus aria-hidden className="size-4" />
          {t("alerts.newChannel")}
        </Button>
      </div>
      {!channels && (error ? <ErrorState detail={error.message} onRetry={() => void refetch()} /> : <Loading rows={4} />)}
      {channels?.length === 0 && (
        <Card>
          <EmptyState title={t("alerts.noChannels")} hint={t("alerts.noChannelsHint")} />
        </Card>
      )}
      <ul className="grid grid-cols-1 gap-4 xl:grid-cols-2">
        {channels?.map((channel) => (
          <li key={channel.id}>
            <ChannelCard place={place} channel={channel} disabledReason={disabledReason} onEdit={() => setEdited(channel)} />
          </li>
        ))}
      </ul>
      <Suspense fallback={null}>
        {edited !== null && (
          <ChannelDialog place={place} channel={edited === "new" ? null : latestOf(edited, channels)} onClose={() => setEdited(null)} />
        )}
      </Suspense>
    </div>
  );
}

type ChannelCardProps = { place: Place; channel: AlertChannel; disabledReason: string | null; onEdit: () => void };

function ChannelCard({ place, channel, disabledReason, onEdit }: ChannelCardProps) {
  const t = useText();
  const { formatList } = useIntl();
  const refresh = useRefresh(place.tenantCode);
  const onError = useFailureNotice();
  const { data: people = [] } = useQuery(recipientsQuery(place));
  const isWebhook = channel.kind === "webhook";
  const Icon = isWebhook ? Webhook : Mail;
  const names = people.filter(({ id }) => channel.userIds.includes(id)).map(({ name }) => name);
  const change = useMutation({
    mutationFn: (isActive: boolean) => updateChannel(place, channel.id, { isActive }),
    onError,
    onSettled: refresh,
  });
  return (
    <Card>
      <div className="flex items-start gap-3 p-4">
        <Icon aria-hidden className="mt-0.5 size-5 shrink-0" />
        <div className="min-w-0 flex-1">
          <h2 dir="auto" className="truncate font-semibold">
            {channel.name}
          </h2>
          <p className="break-all text-muted">
            {isWebhook ? <span dir="ltr">{channel.url}</span> : <bdi>{names.length > 0 ? formatList(names) : t("alerts.nobodyNamed")}</bdi>}
          </p>
          <p className="text-xs text-muted">{t("alerts.intervalWords", { minutes: Math.round(channel.intervalSeconds / 60) })}</p>
          {channel.hasTwoSecrets && <p className="text-xs text-muted">{t("alerts.twoSecrets")}</p>}
        </div>
        <Switch
          label={t("alerts.tellBy", { name: channel.name })}
          isOn={channel.isActive}
          onChange={(isOn) => change.mutate(isOn)}
          disabledReason={disabledReason}
          isBusy={change.isPending}
        />
      </div>
      <ChannelActions place={place} channel={channel} disabledReason={disabledReason} onEdit={onEdit} />
    </Card>
  );
}

type Asked = "rotate" | "remove" | "log" | null;

function ChannelActions({ place, channel, disabledReason, onEdit }: ChannelCardProps) {
  const t = useText();
  const refresh = useRefresh(place.tenantCode);
  const [asked, setAsked] = useState<Asked>(null);
  const test = useMutation({ mutationFn: () => testChannel(place, channel.id), onSettled: refresh });
  const remove = useMutation({
    mutationFn: () => removeChannel(place, channel.id),
    onSuccess: () => noticeSuccess(t("alerts.channelRemoved")),
    onSettled: refresh,
  });
  const rotate = useMutation({ mutationFn: () => rotateChannel(place, channel.id), onSettled: refresh });
  const close = () => {
    rotate.reset();
    setAsked(null);
  };
  return (
    <>
      <div role="status" className="px-4">
        {test.data ? <TestResult delivery={test.data} /> : channel.lastDelivery && <Untold last={channel.lastDelivery} />}
        {test.error && <p className="text-bad">{test.error.message}</p>}
      </div>
      <div className="flex flex-wrap gap-2 p-4 pt-2">
        <Button isBusy={test.isPending} disabledReason={disabledReason} onClick={() => test.mutate()}>
          <Send aria-hidden className="size-4 rtl:-scale-x-100" />
          {t("alerts.test")}
        </Button>
        <Button disabledReason={disabledReason} onClick={onEdit}>
          {t("alerts.edit")}
        </Button>
        {channel.kind === "webhook" && (
          <Button disabledReason={disabledReason} onClick={() => setAsked("rotate")}>
            {t("alerts.rotate")}
          </Button>
        )}
        <Button onClick={() => setAsked("log")}>{t("alerts.log")}</Button>
        <Button disabledReason={disabledReason} onClick={() => setAsked("remove")}>
          {t("action.remove")}
        </Button>
      </div>
      {asked === "log" && <DeliveryLog place={place} channel={channel} onClose={close} />}
      {asked === "remove" && (
        <ConfirmDialog
          title={t("alerts.removeChannel", { name: channel.name })}
          text={t("alerts.removeChannelText")}
          actionLabel={t("action.remove")}
          look="danger"
          onClose={close}
          onConfirm={() => remove.mutateAsync().then(close)}
        />
      )}
      {asked === "rotate" && rotate.data?.secret != null && (
        <Modal title={channel.name} description={t("alerts.secretOnce")} onClose={close}>
          <SecretOnce label={t("alerts.secret")} text={rotate.data.secret} onClose={close} />
        </Modal>
      )}
      {asked === "rotate" && !rotate.data && (
        <ConfirmDialog
          title={t("alerts.rotate")}
          text={t("alerts.rotateText")}
          actionLabel={t("alerts.rotate")}
          look="primary"
          onClose={close}
          onConfirm={() => rotate.mutateAsync()}
        />
      )}
    </>
  );
}

type UntoldProps = { last: NonNullable<AlertChannel["lastDelivery"]> };

/** What nobody sees happen: the last notice has failed, or is still being tried. A mail's fails only where there is nobody to write to. */
function Untold({ last: { state, at, failure } }: UntoldProps) {
  const t = useText();
  if (failure === null) return null;
  const { label, tone } = deliveryStates[state];
  return (
    <p className="break-words">
      <Chip tone={tone}>{t(label)}</Chip> <bdi>{failure.message}</bdi>{" "}
      <span className="text-xs text-muted">
        <Time at={at} />
      </span>
    </p>
  );
}

function TestResult({ delivery }: { delivery: AlertDelivery }) {
  const text = useDeliveryText();
  return <p className={delivery.state === "sent" ? "text-ok" : "text-bad"}>{text(delivery)}</p>;
}
