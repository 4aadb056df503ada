import type { Message } from "@crossdock/contract";
import { useText } from "../i18n/i18n.tsx";
import { ScanStatus } from "../scan-status.tsx";
import { useScan } from "../use-scan.ts";
import { MessageTable } from "./message-table.tsx";
import { messageScan } from "./queries.ts";
import type { MessagesProps } from "./queue-page.tsx";

/** What no index answers: rows come as they are found. */
export default function ScannedMessages(props: MessagesProps) {
  const t = useText();
  const scan = useScan<Message>(messageScan(props.tenantCode, props.search));
  return (
    <>
      <ScanStatus scan={scan} />
      <MessageTable {...props} list={scan.list} emptyTitle={scan.cursor === null ? t("state.noRecord") : t("scan.nothingYet")} />
    </>
  );
}
