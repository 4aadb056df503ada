import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useText } from "../i18n/i18n.tsx";
import { NothingListed } from "../message-filters/nothing-listed.tsx";
import { isSlowFilter } from "../message-filters/search.ts";
import { ScannedList } from "../scans/scanned-list.tsx";
import { Button } from "../ui/button.tsx";
import { DataList } from "../ui/data-list.tsx";
import { InPortions } from "../ui/in-portions.tsx";
import { useList, type List } from "../ui/use-list.ts";
import { queuesQuery, subtenantsQuery } from "../session/workspace.ts";
import { DeadLetterGroups, type GroupVerb } from "./dead-letter-groups.tsx";
import { byCount, countOfGroups, mergeGroups } from "./merge-groups.ts";
import { deadLetterGroupScan, deadLetterGroupsQuery, type GroupRow } from "./queries.ts";
import { filtersOf, type DeadLetterSearch } from "./search.ts";
import { TriageForm } from "./triage-form.tsx";

type GroupListProps = {
  tenantCode: string;
  search: DeadLetterSearch;
  onAct: (verb: Exclude<GroupVerb, "triage">, group: GroupRow) => void;
  onClear: () => void;
};

/** Dead letters by what they died of. */
export function GroupList(props: GroupListProps) {
  const { triage: _, ...filters } = filtersOf(props.search);
  const name = JSON.stringify(filters);
  // Of very many dead letters, those of these filters are to be looked through to the last.
  const [thorough, setThorough] = useState("");
  if (isSlowFilter(props.search) || thorough === name) return <ScannedGroups key={name} {...props} />;
  return <ListedGroups {...props} onThorough={() => setThorough(name)} />;
}

function ListedGroups({ onThorough, ...props }: GroupListProps & { onThorough: () => void }) {
  const t = useText();
  const list = useList(deadLetterGroupsQuery(props.tenantCode, props.search));
  return (
    <>
      {list.isFloor && (
        <div className="flex min-h-12 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-2">
          <p role="status" className="min-w-0 text-sm text-muted">
            {t("deadLetters.newestCounted")}
          </p>
          <Button look="plain" className="ms-auto" onClick={onThorough}>
            {t("deadLetters.countAll")}
          </Button>
        </div>
      )}
      <Groups {...props} list={list} isFloor={list.isFloor} />
    </>
  );
}

/** Groups that grow as their dead letters are found. */
function ScannedGroups(props: GroupListProps) {
  return (
    <ScannedList<GroupRow> address={deadLetterGroupScan(props.tenantCode, props.search)} merge={mergeGroups} countOf={countOfGroups}>
      {(list, emptyTitle, isWhole) => <FoundGroups {...props} list={list} emptyTitle={emptyTitle} isFloor={!isWhole} />}
    </ScannedList>
  );
}

/** Sorted by their counts once all have been counted and nobody is among them. */
function FoundGroups(props: GroupsProps) {
  const { list, isFloor } = props;
  const [isTouched, setIsTouched] = useState(false);
  const [isSorted, setIsSorted] = useState(false);
  if (!isFloor && !isTouched && !isSorted) setIsSorted(true);
  return (
    <div
      onPointerEnter={() => setIsTouched(true)}
      onPointerLeave={() => setIsTouched(false)}
      onFocus={() => setIsTouched(true)}
      onBlur={() => setIsTouched(false)}
    >
      <Groups {...props} list={isSorted ? { ...list, rows: byCount(list.rows) } : list} />
    </div>
  );
}

type GroupsProps = GroupListProps & { list: List<GroupRow>; emptyTitle?: string; isFloor: boolean };

function Groups({ tenantCode, search, onAct, onClear, list, emptyTitle, isFloor }: GroupsProps) {
  const t = useText();
  const { data: queues } = useQuery(queuesQuery(tenantCode));
  const { data: subtenants } = useQuery(subtenantsQuery(tenantCode));
  const [inTriage, setInTriage] = useState<GroupRow | null>(null);
  const groups = list.rows.filter(({ triage }) => !search.triage || triage.status === search.triage);
  const { view: _, ...filters } = filtersOf(search);
  const empty = (
    <NothingListed {...(emptyTitle && { title: emptyTitle })} none={t("deadLetters.none")} filters={filters} onClear={onClear} />
  );
  return (
    <>
      <DataList list={list} isInUse={inTriage !== null} empty={empty}>
        {groups.length === 0 ? (
          empty
        ) : (
          <InPortions items={groups}>
            {(shown) => (
              <DeadLetterGroups
                groups={shown}
                isFloor={isFloor}
                goneIds={list.news.goneIds}
                queues={queues ?? []}
                subtenants={subtenants ?? []}
                onAct={(verb, group) => (verb === "triage" ? setInTriage(group) : onAct(verb, group))}
              />
            )}
          </InPortions>
        )}
      </DataList>
      {inTriage && <TriageForm tenantCode={tenantCode} group={inTriage} onClose={() => setInTriage(null)} />}
    </>
  );
}
