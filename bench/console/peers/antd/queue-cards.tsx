import { Card, Flex, Statistic } from "antd";
import type { useQueuePage } from "../shared/queue-page.ts";

export function QueueCards({ page: { t, queues, apply } }: { page: ReturnType<typeof useQueuePage> }) {
  return (
    <Flex gap={12} style={{ overflowX: "auto", marginBlockEnd: 16 }}>
      {queues.map(({ id, name, integrationPoint, depth }) => (
        <Card
          key={id}
          hoverable
          size="small"
          title={name}
          style={{ width: 224, flexShrink: 0 }}
          onClick={() => apply({ queue: String(id) })}
        >
          {integrationPoint.name}
          <Flex gap={12}>
            <Statistic title={t("queue.depth.waiting")} value={depth.ready + depth.inHand + depth.parked} />
            <Statistic title={t("queue.depth.retrying")} value={depth.retrying} />
            <Statistic title={t("queue.depth.dead")} value={depth.dead} />
          </Flex>
        </Card>
      ))}
    </Flex>
  );
}
