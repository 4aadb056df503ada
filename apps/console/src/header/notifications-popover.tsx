import type { Notification } from "@crossdock/contract";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Bell, BellOff, BellRing, CircleCheck } from "lucide-react";
import { useState } from "react";
import { markNotificationsRead, notificationsQuery, type Place } from "../alerts/alert-news.ts";
import { FiringTenants, useFiringTenants } from "../alerts/firing-tenants.tsx";
import { eventTexts, useSaying } from "../alerts/alert-texts.ts";
import { useText } from "../i18n/i18n.tsx";
import { useIsPermitted } from "../session/session.ts";
import { activeTenantCode } from "../settings.ts";
import { ErrorState, Loading } from "../ui/states.tsx";
import { Time } from "../ui/time.tsx";
import { HeaderPopover, PopoverEmpty, PopoverTitle, UnreadBadge } from "./header-popover.tsx";

export function NotificationsPopover() {
  const tenantCode = activeTenantCode.use();
  return tenantCode === null ? <OfTenants /> : <OfTenant tenantCode={tenantCode} />;
}

/** Where no tenant is active: which ones have alerts. */
function OfTenants() {
  const t = useText();
  const { tenants, isPending, error, refetch } = useFiringTenants();
  const count = tenants.reduce((sum, { alerts }) => sum + alerts, 0);
  return (
    <HeaderPopover
      label={count > 0 ? t("notifications.titleFiring", { count }) : t("notifications.title")}
      trigger={<Trigger count={count} />}
    >
      {() => (
        <>
          <PopoverTitle>{t("alerts.ofTenants")}</PopoverTitle>
          {isPending && <Loading rows={4} />}
          {error && tenants.length === 0 && <ErrorState detail={error.message} onRetry={() => void refetch()} />}
          {!error && !isPending && tenants.length === 0 && <Nothing />}
          <FiringTenants tenants={tenants} />
        </>
      )}
    </HeaderPopover>
  );
}

function Trigger({ count }: { count: number }) {
  return (
    <>
      <Bell aria-hidden className="size-5" />
      <UnreadBadge count={count} />
    </>
  );
}

function Nothing() {
  const t = useText();
  return <PopoverEmpty icon={<BellOff aria-hidden className="size-8" strokeWidth={1.4} />}>{t("notifications.none")}</PopoverEmpty>;
}

/** What fired and what is over in the active tenant, and for admins in the installation. Opening it counts as reading. */
function OfTenant({ tenantCode }: { tenantCode: string }) {
  const t = useText();
  const client = useQueryClient();
  const mayAdminister = useIsPermitted("administer");
  const places: Place[] = [{ tenantCode, isInstallation: false }, ...(mayAdminister ? [{ tenantCode, isInstallation: true }] : [])];
  const own = useQuery(notificationsQuery({ tenantCode, isInstallation: false }));
  const ofAll = useQuery({ ...notificationsQuery({ tenantCode, isInstallation: true }), enabled: mayAdminister });
  const answers = [own.data, ...(mayAdminister ? [ofAll.data] : [])];
  // What was unread when the popover opened stays marked while it is open.
  const [readBefore, setReadBefore] = useState<readonly string[]>([]);
  const { mutate: markRead } = useMutation({
    mutationFn: (newest: { place: Place; upTo: string }[]) =>
      Promise.all(newest.map(({ place, upTo }) => markNotificationsRead(place, upTo))),
    onSuccess: () => Promise.all(places.map((place) => client.invalidateQueries({ queryKey: notificationsQuery(place).queryKey }))),
  });
  const unreadCount = answers.reduce((sum, answer) => sum + (answer?.unreadCount ?? 0), 0);
  const open = () => {
    setReadBefore(answers.map((answer) => answer?.readUpTo ?? "0"));
    const newest = places.flatMap((place, index) => {
      const [first] = answers[index]?.items ?? [];
      return first && (answers[index]?.unreadCount ?? 0) > 0 ? [{ place, upTo: first.id }] : [];
    });
    if (newest.length > 0) markRead(newest);
  };
  const label = unreadCount > 0 ? t("notifications.titleUnread", { count: unreadCount }) : t("notifications.title");
  const listed = answers
    .flatMap((answer, index) =>
      (answer?.items ?? []).map((item) => ({
        item,
        isInstallation: index === 1,
        isUnread: BigInt(item.id) > BigInt(readBefore[index] ?? "0"),
      })),
    )
    .toSorted((one, other) => other.item.at.localeCompare(one.item.at));
  const error = own.error ?? ofAll.error;
  return (
    <HeaderPopover label={label} onOpen={open} trigger={<Trigger count={unreadCount} />}>
      {(close) => (
        <>
          <PopoverTitle>{t("notifications.title")}</PopoverTitle>
          {own.isPending && <Loading rows={4} />}
          {error && listed.length === 0 && <ErrorState detail={error.message} onRetry={() => void own.refetch()} />}
          {!error && !own.isPending && listed.length === 0 && <Nothing />}
          <ul className="divide-y divide-line">
            {listed.map((one) => (
              <Item key={`${one.isInstallation} ${one.item.id}`} {...one} onOpen={close} />
            ))}
          </ul>
          {listed.length > 0 && (
            <Link to="/alerts" onClick={close} className="block border-t border-line px-4 py-3 text-center text-primary-ink hover:bg-hover">
              {t("notifications.all")}
            </Link>
          )}
        </>
      )}
    </HeaderPopover>
  );
}

type ItemProps = { item: Notification; isInstallation: boolean; isUnread: boolean; onOpen: () => void };

function Item({ item: { at, kind, alert }, isInstallation, isUnread, onOpen }: ItemProps) {
  const t = useText();
  const say = useSaying();
  const Icon = kind === "recovered" ? CircleCheck : BellRing;
  return (
    <li>
      <Link
        to="/alerts"
        search={{ state: "all", alert: String(alert.id), ...(isInstallation && { of: "installation" }) }}
        onClick={onOpen}
        className="flex gap-3 px-4 py-3 -outline-offset-2 hover:bg-hover"
      >
        <Icon aria-hidden className={`mt-0.5 size-5 shrink-0 ${kind === "recovered" ? "text-ok" : "text-bad"}`} />
        <span className="min-w-0 flex-1">
          <span className="flex items-baseline gap-2">
            <span className="min-w-0 flex-1 truncate font-medium">{t(eventTexts[kind])}</span>
            <span className="shrink-0 text-xs text-muted">
              <Time at={at} />
            </span>
            {isUnread && <span role="img" aria-label={t("messages.unread")} className="size-2 shrink-0 rounded-full bg-secondary-ink" />}
          </span>
          <bdi className="line-clamp-3 break-words">
            {say({ ...alert, isQuiet: false, state: kind === "recovered" ? "recovered" : "firing" })}
          </bdi>
        </span>
      </Link>
    </li>
  );
}
