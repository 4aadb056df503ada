import type { Message } from "@crossdock/contract";
import { ScannedList } from "../scans/scanned-list.tsx";
import { MessageTable, type MessagesProps } from "./message-table.tsx";
import { messageScan } from "./queries.ts";

export default function ScannedMessages(props: MessagesProps) {
  return (
    <ScannedList<Message> address={messageScan(props.tenantCode, props.search)}>
      {(list, emptyTitle) => <MessageTable {...props} list={list} emptyTitle={emptyTitle} />}
    </ScannedList>
  );
}
