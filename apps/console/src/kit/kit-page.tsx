import { useEffect, useState } from "react";
import { Button } from "../ui/button.tsx";
import { ComboboxField, type Choice } from "../ui/combobox-field.tsx";
import { PageHeader } from "../ui/page.tsx";
import { ControlGallery } from "./control-gallery.tsx";
import { DocumentGallery } from "./document-gallery.tsx";
import { ScreenGallery } from "./screen-gallery.tsx";
import { StateGallery } from "./state-gallery.tsx";
import { SortedTable, TableGallery } from "./table-gallery.tsx";

/** Every part of ui/ in every state, for those who build screens. It exists in development only, and in English only. */
export function KitPage() {
  return (
    <>
      <PageHeader title="Kit" hint="Every part in every state">
        <Button look="primary">An action</Button>
      </PageHeader>
      <JumpMenu />
      <ControlGallery />
      <ScreenGallery />
      <StateGallery />
      <DocumentGallery />
      <SortedTable />
      <TableGallery />
    </>
  );
}

/** Stays in sight; its entries are the headings that the page turns out to have. */
function JumpMenu() {
  const [parts, setParts] = useState<Choice[]>([]);
  useEffect(() => {
    const frame = requestAnimationFrame(() =>
      setParts(headings().map((heading, index) => ({ value: String(index), label: heading.textContent }))),
    );
    return () => cancelAnimationFrame(frame);
  }, []);
  return (
    <nav
      aria-label="Parts"
      className="sticky top-(--sticky-top) z-20 -mx-3 mb-4 border-b border-line bg-page px-3 pb-3 sm:mx-0 sm:max-w-md sm:border-b-0 sm:px-0"
    >
      <ComboboxField
        label="Jump to a part"
        value=""
        onChange={(value) => headings()[Number(value)]?.scrollIntoView({ block: "center" })}
        options={parts}
        placeholder="Choose…"
      />
    </nav>
  );
}

function headings(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>("main h2")];
}
