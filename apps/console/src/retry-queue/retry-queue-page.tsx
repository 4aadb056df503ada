import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { RotateCcw, Trash2 } from "lucide-react";
import { useState } from "react";
import { useText } from "../i18n/i18n.tsx";
import { WithTenant } from "../layouts/with-tenant.tsx";
import { useRemove, useRetryNow } from "../message-operations.ts";
import { useIsPermitted } from "../session.ts";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { SelectField } from "../ui/field.tsx";
import { LiveList } from "../ui/live-list.tsx";
import { Card, PageHeader } from "../ui/page.tsx";
import { SelectionBar } from "../ui/selection-bar.tsx";
import { EmptyState, ErrorState, Loading } from "../ui/states.tsx";
import { queuesQuery, subtenantsQuery } from "../workspace.ts";
import { retryQueueQuery } from "./queries.ts";
import { RetryQueueTable } from "./retry-queue-table.tsx";
import type { RetryQueueSearch } from "./search.ts";

const route = getRouteApi("/shell/retryqueue");

export function RetryQueuePage() {
  const t = useText();
  return (
    <>
      <PageHeader title={t("menu.retryQueue")} hint={t("retryQueue.hint")} />
      <WithTenant>{(tenantCode) => <RetryQueue key={tenantCode} tenantCode={tenantCode} />}</WithTenant>
    </>
  );
}

function RetryQueue({ tenantCode }: { tenantCode: string }) {
  const t = useText();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const options = retryQueueQuery(tenantCode, search);
  const query = useInfiniteQuery(options);
  const { data: subtenants } = useQuery(subtenantsQuery(tenantCode));
  const items = query.data?.pages.flatMap((page) => page.items) ?? [];
  const apply = (next: RetryQueueSearch) => {
    setChosen(new Set());
    void navigate({ search: next, replace: true });
  };
  return (
    <Card>
      <Filters tenantCode={tenantCode} search={search} onChange={apply} />
      {query.isPending && <Loading rows={10} />}
      {query.error && !query.data && <ErrorState detail={query.error.message} onRetry={() => void query.refetch()} />}
      {query.data && (
        <LiveList queryKey={options.queryKey} query={query} isInUse={chosen.size > 0}>
          {items.length === 0 && <EmptyState title={t("state.noRecord")} hint={t("retryQueue.none")} />}
          {items.length > 0 && (
            <>
              <Operations tenantCode={tenantCode} chosen={chosen} onDone={() => setChosen(new Set())} />
              <RetryQueueTable
                items={items}
                subtenants={subtenants ?? []}
                selection={{ ids: chosen, onChange: setChosen, labelOf: (item) => item.key }}
                hasMore={query.hasNextPage}
                isLoadingMore={query.isFetchingNextPage}
                onLoadMore={() => void query.fetchNextPage()}
              />
            </>
          )}
        </LiveList>
      )}
    </Card>
  );
}

type FiltersProps = { tenantCode: string; search: RetryQueueSearch; onChange: (search: RetryQueueSearch) => void };

function Filters({ tenantCode, search, onChange }: FiltersProps) {
  const t = useText();
  const { data: queues = [] } = useQuery(queuesQuery(tenantCode));
  const { data: subtenants = [] } = useQuery(subtenantsQuery(tenantCode));
  const any = { value: "", label: t("filter.any") };
  const offered = queues.filter((queue) => !search.subtenant || queue.subtenantCode === search.subtenant);
  return (
    <search className="grid grid-cols-2 items-end gap-3 border-b border-line p-4 sm:grid-cols-[repeat(auto-fill,minmax(10.5rem,1fr))]">
      <SelectField
        label={t("filter.subtenant")}
        value={search.subtenant ?? ""}
        onChange={(subtenant) => onChange({ subtenant })}
        options={[any, ...subtenants.map(({ code, name }) => ({ value: code, label: name }))]}
      />
      <SelectField
        label={t("filter.queue")}
        value={search.queue ?? ""}
        onChange={(queue) => onChange({ ...search, queue })}
        options={[
          any,
          ...offered.map(({ id, name, integrationPoint }) => ({ value: String(id), label: `${name} · ${integrationPoint.name}` })),
        ]}
      />
    </search>
  );
}

type OperationsProps = { tenantCode: string; chosen: ReadonlySet<string>; onDone: () => void };

function Operations({ tenantCode, chosen, onDone }: OperationsProps) {
  const t = useText();
  const disabledReason = useIsPermitted("operate") ? null : t("role.operatorOnly");
  const retryNow = useRetryNow(tenantCode);
  const remove = useRemove(tenantCode, "notice.retryItemsRemoved");
  const [isAsking, setIsAsking] = useState(false);
  const ids = [...chosen];
  return (
    <SelectionBar count={chosen.size} onClear={onDone}>
      <Button
        look="primary"
        disabledReason={disabledReason}
        isBusy={retryNow.isPending}
        onClick={() => retryNow.mutate({ ids }, { onSuccess: onDone })}
      >
        <RotateCcw aria-hidden className="size-4" />
        {t("action.retryNow")}
      </Button>
      <Button look="danger" disabledReason={disabledReason} onClick={() => setIsAsking(true)}>
        <Trash2 aria-hidden className="size-4" />
        {t("action.remove")}
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        title={t("retryQueue.confirmRemove", { count: ids.length })}
        text={t("retryQueue.removeText")}
        actionLabel={t("action.remove")}
        look="danger"
        isBusy={remove.isPending}
        onConfirm={() =>
          remove.mutate(
            { ids },
            {
              onSuccess: onDone,
              onSettled: () => setIsAsking(false),
            },
          )
        }
      />
    </SelectionBar>
  );
}
