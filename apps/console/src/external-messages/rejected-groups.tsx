import type { ExternalMessageGroup } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import { List } from "lucide-react";
import { useIntl } from "react-intl";
import { useText } from "../i18n/i18n.tsx";
import { Button } from "../ui/button.tsx";
import { Chip } from "../ui/chip.tsx";
import { ListError } from "../ui/list-error.tsx";
import { EmptyState, LoadingRows } from "../ui/states.tsx";
import { Time } from "../ui/time.tsx";
import { subtenantLabel, subtenantsQuery } from "../session/workspace.ts";
import { rejectedGroupsQuery } from "./queries.ts";
import type { ExternalMessageSearch } from "./search.ts";

type GroupsProps = { tenantCode: string; search: ExternalMessageSearch; onShow: (change: ExternalMessageSearch) => void };

/** Who sends what cannot be taken, and why: one entry for each sender and reason. */
export default function RejectedGroups({ tenantCode, search, onShow }: GroupsProps) {
  const t = useText();
  const { data, error, refetch } = useQuery(rejectedGroupsQuery(tenantCode, search));
  if (error && !data) return <ListError error={error} onRetry={() => void refetch()} />;
  if (!data) return <LoadingRows rows={4} />;
  if (data.items.length === 0) return <EmptyState title={t("state.noRecord")} hint={t("external.noneRejected")} />;
  return (
    <>
      {data.isFloor && <p className="border-b border-line px-4 py-2 text-muted">{t("external.groupsFloor")}</p>}
      <ul>
        {data.items.map((group) => (
          <Group
            key={`${group.integrationPointId} ${group.fault}`}
            tenantCode={tenantCode}
            group={group}
            isFloor={data.isFloor}
            onShow={() => onShow({ state: "rejected", point: String(group.integrationPointId), fault: group.fault, view: "" })}
          />
        ))}
      </ul>
    </>
  );
}

type GroupProps = { tenantCode: string; group: ExternalMessageGroup; isFloor: boolean; onShow: () => void };

function Group({ tenantCode, group, isFloor, onShow }: GroupProps) {
  const t = useText();
  const { formatNumber } = useIntl();
  const { data: subtenants = [] } = useQuery(subtenantsQuery(tenantCode));
  const { reason, count, integrationPointName, source, subtenantCode, firstAt, lastAt } = group;
  return (
    <li className="flex flex-wrap items-start gap-x-6 gap-y-3 border-t border-line px-4 py-4 first:border-t-0">
      <p className="w-24 shrink-0 text-2xl font-semibold text-bad tabular-nums">
        {formatNumber(count, { notation: "compact" })}
        {isFloor && "+"}
      </p>
      <div className="grid min-w-[min(18rem,100%)] flex-1 gap-2">
        <p dir="auto" className="font-medium break-words rtl:text-right">
          {reason?.path && (
            <code dir="ltr" className="mx-1 rounded bg-hover px-1.5 py-0.5 text-xs">
              {reason.path}
            </code>
          )}
          {reason?.message ?? t("deadLetters.noReason")}
        </p>
        <div className="flex flex-wrap items-center gap-2 text-xs text-muted">
          <Chip tone="neutral">{integrationPointName}</Chip>
          <span>
            {source} · {subtenantLabel(subtenants, subtenantCode)}
          </span>
          <span>
            {t("deadLetters.last")} <Time at={lastAt} />
          </span>
          <span>
            {t("deadLetters.first")} <Time at={firstAt} />
          </span>
        </div>
      </div>
      <Button onClick={onShow}>
        <List aria-hidden className="size-4" />
        {t("action.show")}
      </Button>
    </li>
  );
}
