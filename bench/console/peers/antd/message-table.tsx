import type { Message } from "@crossdock/contract";
import { Table, Tag, type TableColumnsType } from "antd";
import type { UIEvent } from "react";
import { Time } from "../../../../apps/console/src/ui/time.tsx";
import { stateTitles, type useQueuePage } from "../shared/queue-page.ts";

const height = 504;
/** Pixels before the end at which the next rows are asked for: 30 rows, like the console. */
const loadAheadPx = 30 * 44;

export function MessageTable({ page }: { page: ReturnType<typeof useQueuePage> }) {
  const { t, targetOf, subtenantOf, rows, isPending, loadMore } = page;
  const columns: TableColumnsType<Message> = [
    { key: "key", title: t("message.key"), width: 150, render: (_, row) => <a href={`/queue/details/${row.id}`}>{row.key}</a> },
    { key: "state", title: t("message.state"), width: 110, render: (_, row) => <Tag color="blue">{t(stateTitles[row.state])}</Tag> },
    { key: "queue", title: t("message.queue"), width: 120, ellipsis: true, dataIndex: "queueName" },
    { key: "target", title: t("message.target"), width: 130, ellipsis: true, render: (_, row) => targetOf(row) },
    { key: "subtenant", title: t("filter.subtenant"), width: 110, ellipsis: true, render: (_, row) => subtenantOf(row) },
    { key: "source", title: t("message.source"), width: 90, ellipsis: true, dataIndex: "source" },
    { key: "attempts", title: t("message.attempts"), width: 96, align: "right", dataIndex: "attempts" },
    { key: "published", title: t("message.published"), width: 100, render: (_, row) => <Time at={row.publishedAt} /> },
    { key: "error", title: t("message.error"), width: 150, ellipsis: true, dataIndex: "error" },
  ];
  function loadAhead({ currentTarget }: UIEvent<HTMLDivElement>): void {
    if (currentTarget.scrollTop > rows.length * 44 - currentTarget.clientHeight - loadAheadPx) loadMore();
  }
  return (
    <Table
      virtual
      size="small"
      rowKey="id"
      columns={columns}
      dataSource={rows}
      loading={isPending}
      pagination={false}
      scroll={{ x: 1056, y: height }}
      onScroll={loadAhead}
    />
  );
}
