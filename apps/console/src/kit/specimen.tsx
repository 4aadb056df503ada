import type { ReactNode } from "react";
import { Card } from "../ui/page.tsx";

/** One part of the kit in one state, under its name. */
export function Specimen({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Card title={title} className="min-w-0">
      <div className="flex min-w-0 flex-wrap items-start gap-3 p-4">{children}</div>
    </Card>
  );
}

export function Gallery({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="mb-8">
      <h2 className="mb-3 text-lg font-semibold">{title}</h2>
      <div className="grid grid-cols-1 min-w-0 items-start gap-4 lg:grid-cols-2">{children}</div>
    </section>
  );
}
