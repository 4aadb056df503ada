import type { DeadLetter, Subtenant } from "@crossdock/contract";
import { linkOptions } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useText } from "../i18n/i18n.tsx";
import { useMatching } from "../message-filters/matching.ts";
import { NothingListed } from "../message-filters/nothing-listed.tsx";
import { isEverything } from "../message-filters/everything.ts";
import { isSlowFilter } from "../message-filters/search.ts";
import { MessageDrawer } from "../messages/message-drawer.tsx";
import { ListOrScan } from "../scans/scanned-list.tsx";
import { DataList } from "../ui/data-list.tsx";
import { FollowToggle } from "../ui/follow-toggle.tsx";
import { isNothing, type Selection } from "../ui/selection.ts";
import { SelectableTable } from "../ui/selectable-table.tsx";
import type { List } from "../ui/use-list.ts";
import { useDeadLetterColumns } from "./dead-letter-columns.tsx";
import { deadLetterExport, deadLetterScan, deadLettersQuery } from "./queries.ts";
import { deadLetterFilterOf, filtersOf, type DeadLetterSearch } from "./search.ts";
import { VerbButtons, type Verb } from "./verb-buttons.tsx";

type DeadLetterListProps = {
  tenantCode: string;
  search: DeadLetterSearch;
  subtenants: Pick<Subtenant, "code" | "name">[] | undefined;
  selection: Selection;
  onSelect: (selection: Selection) => void;
  /** `isAll`: nothing is filtered, and nothing left out. */
  onAsk: (verb: Verb, isAll: boolean) => void;
  onOpen: (id: string | undefined) => void;
  onClear: () => void;
};

/** Dead letters one by one. */
export function DeadLetterList(props: DeadLetterListProps) {
  const { tenantCode, search } = props;
  return (
    <ListOrScan
      search={filtersOf(search)}
      isScan={isSlowFilter(search)}
      query={deadLettersQuery(tenantCode, search)}
      scan={deadLetterScan(tenantCode, search)}
    >
      {(list, emptyTitle, isScan) => (
        <DeadLetterRows {...props} list={list} emptyTitle={emptyTitle}>
          {!isScan && <FollowToggle list={list} />}
        </DeadLetterRows>
      )}
    </ListOrScan>
  );
}

type RowsProps = DeadLetterListProps & { list: List<DeadLetter>; emptyTitle: string; children: ReactNode };

function DeadLetterRows(props: RowsProps) {
  const { tenantCode, search, subtenants, selection, onSelect, onAsk, onOpen, onClear, list, emptyTitle, children } = props;
  const t = useText();
  const columns = useDeadLetterColumns(search, subtenants);
  const { view: _, ...narrowing } = filtersOf(search);
  const matching = useMatching(tenantCode, { state: "dead", search: narrowing, filterOf: (now) => deadLetterFilterOf(search, now) });
  // One that has been dealt with is no dead letter any more.
  const pageOf = (id: string) => {
    const queue = list.rows.find((row) => row.id === id)?.queueName;
    return queue === undefined ? undefined : linkOptions({ to: "/deadletter/details/$queue/$id", params: { queue, id } });
  };
  return (
    <>
      <DataList
        list={list}
        isInUse={!isNothing(selection) || search.message !== undefined}
        empty={<NothingListed title={emptyTitle} none={t("deadLetters.none")} filters={narrowing} onClear={onClear} />}
      >
        <SelectableTable
          name="dead-letters"
          label={t("menu.deadLetters")}
          list={list}
          columns={columns}
          labelOf={(deadLetter) => deadLetter.key}
          selection={selection}
          onSelect={onSelect}
          openId={search.message}
          exported={deadLetterExport(tenantCode, search)}
          matching={matching}
          actions={<VerbButtons onAct={(verb) => onAsk(verb, isEverything(selection, narrowing, matching))} />}
        >
          {children}
        </SelectableTable>
      </DataList>
      <MessageDrawer tenantCode={tenantCode} list={list} openId={search.message} onOpen={onOpen} pageOf={pageOf} />
    </>
  );
}
