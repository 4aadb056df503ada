import type { DeadLetterGroup } from "@crossdock/contract";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { useText } from "../i18n/i18n.tsx";
import { WithTenant } from "../layouts/with-tenant.tsx";
import { useRemoveDeadLetters, useRequeue, type Selection } from "../message-operations.ts";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { LiveList } from "../ui/live-list.tsx";
import { Card, PageHeader } from "../ui/page.tsx";
import { EmptyState, ErrorState, Loading } from "../ui/states.tsx";
import { queuesQuery, subtenantsQuery } from "../workspace.ts";
import { DeadLetterFilters } from "./dead-letter-filters.tsx";
import { DeadLetterGroups } from "./dead-letter-groups.tsx";
import { DeadLetterTable } from "./dead-letter-table.tsx";
import { deadLetterGroupsQuery, deadLettersQuery, selectionOfGroup } from "./queries.ts";
import type { DeadLetterSearch } from "./search.ts";

const route = getRouteApi("/shell/deadletter-list");

/** What the operator is asked to confirm. */
type Question = { verb: "requeue" | "remove"; count: number; selection: () => Promise<Selection> };

export function DeadLetterListPage() {
  const t = useText();
  return (
    <>
      <PageHeader title={t("menu.deadLetters")} hint={t("deadLetters.hint")} />
      <WithTenant>{(tenantCode) => <DeadLetters key={tenantCode} tenantCode={tenantCode} />}</WithTenant>
    </>
  );
}

function DeadLetters({ tenantCode }: { tenantCode: string }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { data: queues } = useQuery(queuesQuery(tenantCode));
  const { data: subtenants } = useQuery(subtenantsQuery(tenantCode));
  const [question, setQuestion] = useState<Question | null>(null);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const apply = (next: DeadLetterSearch) => {
    setChosen(new Set());
    void navigate({ search: next, replace: true });
  };
  const askAboutChosen = (verb: Question["verb"]) =>
    setQuestion({ verb, count: chosen.size, selection: () => Promise.resolve({ ids: [...chosen] }) });
  const askAboutGroup = (verb: Question["verb"], group: DeadLetterGroup) =>
    setQuestion({ verb, count: group.count, selection: () => selectionOfGroup(tenantCode, search, group.fingerprint) });

  return (
    <Card>
      <DeadLetterFilters search={search} onChange={apply} queues={queues ?? []} subtenants={subtenants ?? []} />
      {search.view === "list" ? (
        <List tenantCode={tenantCode} search={search} chosen={chosen} onChoose={setChosen} onAsk={askAboutChosen} />
      ) : (
        <Groups
          tenantCode={tenantCode}
          search={search}
          onAsk={askAboutGroup}
          onShow={(group) => apply({ ...search, view: "list", error: group.fingerprint })}
        />
      )}
      <Confirmation
        tenantCode={tenantCode}
        question={question}
        onClose={() => setQuestion(null)}
        onDone={() => {
          setQuestion(null);
          setChosen(new Set());
        }}
      />
    </Card>
  );
}

type GroupsProps = {
  tenantCode: string;
  search: DeadLetterSearch;
  onAsk: (verb: Question["verb"], group: DeadLetterGroup) => void;
  onShow: (group: DeadLetterGroup) => void;
};

function Groups({ tenantCode, search, onAsk, onShow }: GroupsProps) {
  const { data: groups, error, refetch } = useQuery(deadLetterGroupsQuery(tenantCode, search));
  const { data: queues } = useQuery(queuesQuery(tenantCode));
  if (groups)
    return groups.length === 0 ? <NoneLeft /> : <DeadLetterGroups groups={groups} queues={queues ?? []} onAsk={onAsk} onShow={onShow} />;
  return error ? <ErrorState detail={error.message} onRetry={() => void refetch()} /> : <Loading />;
}

type ListProps = {
  tenantCode: string;
  search: DeadLetterSearch;
  chosen: ReadonlySet<string>;
  onChoose: (ids: ReadonlySet<string>) => void;
  onAsk: (verb: Question["verb"]) => void;
};

function List({ tenantCode, search, chosen, onChoose, onAsk }: ListProps) {
  const options = deadLettersQuery(tenantCode, search);
  const query = useInfiniteQuery(options);
  const { data: subtenants } = useQuery(subtenantsQuery(tenantCode));
  if (query.isPending) return <Loading rows={10} />;
  if (!query.data) return <ErrorState detail={query.error.message} onRetry={() => void query.refetch()} />;
  const deadLetters = query.data.pages.flatMap((page) => page.items);
  return (
    <LiveList queryKey={options.queryKey} query={query} isInUse={chosen.size > 0}>
      {deadLetters.length === 0 ? (
        <NoneLeft />
      ) : (
        <DeadLetterTable
          deadLetters={deadLetters}
          subtenants={subtenants ?? []}
          chosen={chosen}
          onChoose={onChoose}
          onAsk={onAsk}
          hasMore={query.hasNextPage}
          isLoadingMore={query.isFetchingNextPage}
          onLoadMore={() => void query.fetchNextPage()}
        />
      )}
    </LiveList>
  );
}

function NoneLeft() {
  const t = useText();
  return <EmptyState title={t("state.noRecord")} hint={t("deadLetters.none")} />;
}

type ConfirmationProps = { tenantCode: string; question: Question | null; onClose: () => void; onDone: () => void };

function Confirmation({ tenantCode, question, onClose, onDone }: ConfirmationProps) {
  const t = useText();
  const requeue = useRequeue(tenantCode);
  const remove = useRemoveDeadLetters(tenantCode);
  const isRemoval = question?.verb === "remove";
  const operation = isRemoval ? remove : requeue;
  const count = question?.count ?? 0;

  async function confirm(): Promise<void> {
    if (question) await operation.mutateAsync(await question.selection()).then(onDone, onClose);
  }

  return (
    <ConfirmDialog
      isOpen={question !== null}
      onClose={onClose}
      title={isRemoval ? t("deadLetters.confirmRemove", { count }) : t("deadLetters.confirmRequeue", { count })}
      text={isRemoval ? t("deadLetters.removeText") : t("deadLetters.requeueText")}
      actionLabel={isRemoval ? t("action.remove") : t("action.requeue")}
      look={isRemoval ? "danger" : "primary"}
      isBusy={operation.isPending}
      onConfirm={() => void confirm()}
    />
  );
}
