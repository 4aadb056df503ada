import type { Message } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import { Suspense, type ReactNode } from "react";
import { useText } from "../i18n/i18n.tsx";
import { firstPart, lazyPart } from "../lazy-screen.ts";
import { MessageDrawer } from "./message-drawer.tsx";
import { DataList } from "../ui/data-list.tsx";
import { isNothing, nothing, type Selection } from "../ui/selection.ts";
import { SelectableTable } from "../ui/selectable-table.tsx";
import type { List } from "../ui/use-list.ts";
import { queuesQuery, subtenantsQuery } from "../session/workspace.ts";
import { useMessageColumns } from "./message-columns.tsx";
import { messageExport } from "./queries.ts";
import type { QueueSearch } from "./search.ts";

// Nothing can be done before something is chosen.
const QueueActions = lazyPart(() => import("./queue-actions.tsx"));

const NothingFound = firstPart(() => import("./nothing-found.tsx"));

export type MessagesProps = {
  tenantCode: string;
  search: QueueSearch;
  /** How many match, when that is known. */
  matching: number | null;
  selection: Selection;
  onSelect: (selection: Selection) => void;
  onOpen: (id: string | undefined) => void;
};

type MessageTableProps = MessagesProps & { list: List<Message>; emptyTitle: string; children?: ReactNode };

/** Messages as a table that can be chosen from, with the one that is open beside it. */
export function MessageTable(props: MessageTableProps) {
  const { tenantCode, search, list, matching, selection, onSelect, onOpen, emptyTitle, children } = props;
  const t = useText();
  const { data: queues } = useQuery(queuesQuery(tenantCode));
  const { data: subtenants } = useQuery(subtenantsQuery(tenantCode));
  const columns = useMessageColumns(search, queues, subtenants);
  const actions = (
    <Suspense fallback={null}>
      <QueueActions tenantCode={tenantCode} search={search} selection={selection} matching={matching} onDone={() => onSelect(nothing)} />
    </Suspense>
  );
  const empty = (
    <Suspense fallback={null}>
      <NothingFound title={emptyTitle} search={search} />
    </Suspense>
  );
  return (
    <>
      <DataList list={list} isChosen={!isNothing(selection)} isInUse={!isNothing(selection) || search.message !== undefined} empty={empty}>
        <SelectableTable
          name="messages"
          label={t("menu.queue")}
          list={list}
          columns={columns}
          labelOf={(message) => message.key}
          selection={selection}
          onSelect={onSelect}
          openId={search.message}
          exported={messageExport(tenantCode, search)}
          matching={matching}
          actions={actions}
        >
          {children}
        </SelectableTable>
      </DataList>
      <MessageDrawer tenantCode={tenantCode} list={list} openId={search.message} onOpen={onOpen} />
    </>
  );
}
