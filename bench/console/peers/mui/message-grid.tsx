import type { Message } from "@crossdock/contract";
import Box from "@mui/material/Box";
import Chip from "@mui/material/Chip";
import Link from "@mui/material/Link";
import { DataGrid, type GridColDef } from "@mui/x-data-grid";
import { useMemo, useState } from "react";
import { Time } from "../../../../apps/console/src/ui/time.tsx";
import { stateTitles, type useQueuePage } from "../shared/queue-page.ts";

/** The free grid shows at most so many rows a page. */
const pageSizeMax = 100;
const rowHeight = 44;

export function MessageGrid({ page }: { page: ReturnType<typeof useQueuePage> }) {
  const { t, targetOf, subtenantOf, rows, count, isPending, loadMore } = page;
  const [place, setPlace] = useState({ page: 0, pageSize: pageSizeMax });
  const columns = useMemo<GridColDef<Message>[]>(
    () => [
      {
        field: "key",
        headerName: t("message.key"),
        flex: 2,
        renderCell: ({ row }) => <Link href={`/queue/details/${row.id}`}>{row.key}</Link>,
      },
      {
        field: "state",
        headerName: t("message.state"),
        flex: 1.4,
        renderCell: ({ row }) => <Chip size="small" color="info" label={t(stateTitles[row.state])} />,
      },
      { field: "queueName", headerName: t("message.queue"), flex: 1.4 },
      { field: "target", headerName: t("message.target"), flex: 1.6, valueGetter: (_, row) => targetOf(row) },
      { field: "subtenant", headerName: t("filter.subtenant"), flex: 1.4, valueGetter: (_, row) => subtenantOf(row) },
      { field: "source", headerName: t("message.source"), flex: 1 },
      { field: "attempts", headerName: t("message.attempts"), type: "number", width: 96 },
      { field: "publishedAt", headerName: t("message.published"), flex: 1.1, renderCell: ({ row }) => <Time at={row.publishedAt} /> },
      { field: "error", headerName: t("message.error"), flex: 2 },
    ],
    [t, targetOf, subtenantOf],
  );
  return (
    <Box sx={{ height: 560 }}>
      <DataGrid
        rows={rows.slice(place.page * pageSizeMax, (place.page + 1) * pageSizeMax)}
        rowCount={count}
        columns={columns}
        loading={isPending}
        rowHeight={rowHeight}
        disableRowSelectionOnClick
        paginationMode="server"
        pageSizeOptions={[pageSizeMax]}
        paginationModel={place}
        onPaginationModelChange={(next) => {
          setPlace(next);
          loadMore();
        }}
      />
    </Box>
  );
}
