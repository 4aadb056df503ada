import { useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { useText } from "../i18n/i18n.tsx";
import { DataList } from "../ui/data-list.tsx";
import { EmptyState } from "../ui/states.tsx";
import { useList } from "../ui/use-list.ts";
import { queuesQuery, subtenantsQuery } from "../workspace.ts";
import { DeadLetterGroups, type GroupVerb } from "./dead-letter-groups.tsx";
import { deadLetterGroupsQuery, type GroupRow } from "./queries.ts";
import type { DeadLetterSearch } from "./search.ts";
import { TriageForm } from "./triage-form.tsx";

type GroupListProps = {
  tenantCode: string;
  search: DeadLetterSearch;
  onAct: (verb: Exclude<GroupVerb, "triage">, group: GroupRow) => void;
  empty: ReactNode;
};

/** Dead letters by what they died of. */
export function GroupList({ tenantCode, search, onAct, empty }: GroupListProps) {
  const t = useText();
  const list = useList(deadLetterGroupsQuery(tenantCode, search));
  const { data: queues } = useQuery(queuesQuery(tenantCode));
  const { data: subtenants } = useQuery(subtenantsQuery(tenantCode));
  const [inTriage, setInTriage] = useState<GroupRow | null>(null);
  const groups = list.rows.filter(({ triage }) => !search.triage || triage.status === search.triage);
  return (
    <>
      <DataList list={list} isInUse={inTriage !== null} empty={empty}>
        {groups.length === 0 ? (
          <EmptyState title={t("state.noRecord")} hint={t("queue.emptyHint")} />
        ) : (
          <DeadLetterGroups
            groups={groups}
            goneIds={list.news.goneIds}
            queues={queues ?? []}
            subtenants={subtenants ?? []}
            onAct={(verb, group) => (verb === "triage" ? setInTriage(group) : onAct(verb, group))}
          />
        )}
      </DataList>
      {inTriage && <TriageForm tenantCode={tenantCode} group={inTriage} onClose={() => setInTriage(null)} />}
    </>
  );
}
