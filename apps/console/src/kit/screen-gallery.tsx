import { useState } from "react";
import { BackLink } from "../ui/back-link.tsx";
import { DataList } from "../ui/data-list.tsx";
import type { Column } from "../ui/data-table/columns.ts";
import { DataTable } from "../ui/data-table/data-table.tsx";
import { FollowToggle } from "../ui/follow-toggle.tsx";
import { HeaderList } from "../ui/header-list.tsx";
import { InlineSelect, InlineText } from "../ui/inline-edit.tsx";
import { JsonViewer } from "../ui/json/json-viewer.tsx";
import { LoadingPage } from "../ui/loading-page.tsx";
import { noticeSuccess } from "../ui/notice.tsx";
import { Card } from "../ui/page.tsx";
import { RowLink } from "../ui/row-link.tsx";
import { TableToolbar } from "../ui/table-toolbar.tsx";
import { Countdown } from "../ui/time.tsx";
import { wholeList, type List } from "../ui/use-list.ts";
import { RollBackForm, VersionList } from "../ui/version-list.tsx";
import { sampleRow, type SampleRow } from "./sample-rows.ts";
import { Gallery, Specimen } from "./specimen.tsx";

const noop = () => undefined;
const inFiveMinutes = new Date(Date.now() + 300_000);
const versions = [3, 2, 1].map((version) => ({
  id: String(version),
  version,
  madeAt: `2026-03-0${version}T08:00:00.000Z`,
  madeBy: "Mari Lund",
  restored: version === 3 ? 1 : null,
  reason: version === 3 ? "The new prices were wrong" : null,
}));
const faults = new Map([["$.price", "must be greater than or equal to 0"]]);

/** What screens are put together from, besides controls and tables. */
export function ScreenGallery() {
  return (
    <Gallery title="Parts of screens">
      <Specimen title="Ways: to the list, to a row">
        <BackLink to="/queue" label="Queue" />
        <RowLink href="/kit">LAMP-1</RowLink>
      </Specimen>
      <Specimen title="Countdown">
        <Countdown at={inFiveMinutes} due="due" />
        <Countdown at={new Date(0)} due="due" />
      </Specimen>
      <InlineEdits />
      <Specimen title="Headers">
        <HeaderList headers={{ "content-type": "application/json", "x-request-id": "0198c5f2" }} />
      </Specimen>
      <Card title="Versions, and the way back to one">
        <VersionList
          list={wholeList(versions)}
          summary={() => "1 added, 0 changed, 0 removed"}
          details={({ version }) => <RollBackForm version={version} isBusy={false} disabledReason={null} onRollBack={noop} />}
        />
      </Card>
      <Card title="A document with faults and masked values">
        <JsonViewer
          text='{"sku":"LAMP-1","price":-1,"email":"***"}'
          label="Faulty item"
          faults={faults}
          onReveal={(pointer) => noticeSuccess(`Would ask for ${pointer}`)}
        />
      </Card>
      <Card title="A page that is on its way">
        <LoadingPage />
      </Card>
      <News />
    </Gallery>
  );
}

function InlineEdits() {
  const [text, setText] = useState("reduced");
  const [system, setSystem] = useState("magento");
  const systems = ["magento", "litium", "centra"].map((value) => ({ value, label: value }));
  const select = { label: "System", value: system, options: systems, onSave: async (value: string) => setSystem(value) };
  return (
    <Specimen title="Edited in place, and not allowed to be">
      <InlineText label="Value" value={text} onSave={async (value) => setText(value)} disabledReason={null} />
      <InlineText
        label="Fixed value"
        value={text}
        onSave={async () => undefined}
        disabledReason="Your role may look, but not change anything"
      />
      <InlineSelect {...select} disabledReason={null} />
      <InlineSelect {...select} disabledReason="Your role may look, but not change anything" />
    </Specimen>
  );
}

const newsColumns: Column<SampleRow>[] = [
  { id: "name", header: "Name", minWidth: 120, grow: 1, isTitle: true, cell: (row) => row.name },
  { id: "amount", header: "Amount", minWidth: 90, grow: 1, isNumeric: true, cell: (row) => row.amount },
];

/** Three rows came and one left while the operator was at work; the toolbar lets new ones in as they come. */
function News() {
  const [isFollowing, setIsFollowing] = useState(false);
  const list: List<SampleRow> = {
    ...wholeList(Array.from({ length: 5 }, (_, index) => sampleRow(index))),
    isStale: true,
    isFollowing,
    follow: setIsFollowing,
    news: { count: 3, isMore: false, goneIds: new Set(["2"]) },
  };
  const table = { name: "kit-news", label: "Samples with news", columns: newsColumns };
  return (
    <Card title="A list with news" className="min-w-0">
      <DataList list={list} isInUse empty={null}>
        <TableToolbar {...table}>
          <FollowToggle list={list} />
        </TableToolbar>
        <DataTable {...table} list={list} labelOf={(row) => row.name} />
      </DataList>
    </Card>
  );
}
