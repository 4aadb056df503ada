import Card from "@mui/material/Card";
import CardActionArea from "@mui/material/CardActionArea";
import CardContent from "@mui/material/CardContent";
import Stack from "@mui/material/Stack";
import Typography from "@mui/material/Typography";
import type { useQueuePage } from "../shared/queue-page.ts";

export function QueueCards({ page: { t, queues, apply } }: { page: ReturnType<typeof useQueuePage> }) {
  return (
    <Stack direction="row" sx={{ gap: 1.5, overflowX: "auto", flexShrink: 0 }}>
      {queues.map(({ id, name, integrationPoint, depth }) => (
        <Card key={id} sx={{ width: 224, flexShrink: 0 }}>
          <CardActionArea onClick={() => apply({ queue: String(id) })}>
            <CardContent>
              <Typography variant="subtitle2" noWrap>
                {name}
              </Typography>
              <Typography variant="caption" component="p" noWrap>
                {integrationPoint.name}
              </Typography>
              <Stack direction="row" sx={{ gap: 2 }}>
                <Figure title={t("queue.depth.waiting")} value={depth.ready + depth.inHand + depth.parked} />
                <Figure title={t("queue.depth.retrying")} value={depth.retrying} />
                <Figure title={t("queue.depth.dead")} value={depth.dead} />
              </Stack>
            </CardContent>
          </CardActionArea>
        </Card>
      ))}
    </Stack>
  );
}

function Figure({ title, value }: { title: string; value: number }) {
  return (
    <div>
      <Typography variant="subtitle1">{value}</Typography>
      <Typography variant="caption">{title}</Typography>
    </div>
  );
}
