import { Button } from "../ui/button.tsx";
import { PageHeader } from "../ui/page.tsx";
import { ControlGallery } from "./control-gallery.tsx";
import { DocumentGallery } from "./document-gallery.tsx";
import { StateGallery } from "./state-gallery.tsx";
import { SortedTable, TableGallery } from "./table-gallery.tsx";

/** Every part of ui/ in every state, for those who build screens. It exists in development only, and in English only. */
export function KitPage() {
  return (
    <>
      <PageHeader title="Kit" hint="Every part in every state">
        <Button look="primary">An action</Button>
      </PageHeader>
      <ControlGallery />
      <StateGallery />
      <DocumentGallery />
      <SortedTable />
      <TableGallery />
    </>
  );
}
