import type { ReactNode } from "react";
import { usePageTitle } from "./page-title.ts";

/** Title line of a screen, and the title of the browser's tab. */
export function PageHeader({ title, hint, children }: { title: string; hint?: ReactNode; children?: ReactNode }) {
  usePageTitle(title);
  return (
    <header className="mb-4 flex min-h-9 flex-wrap items-center justify-between gap-x-6 gap-y-3">
      <div className="flex min-w-0 flex-wrap items-baseline gap-x-3 max-sm:w-full">
        <h1 className="min-w-0 text-xl break-words font-semibold outline-offset-0">{title}</h1>
        {hint && <p className="min-w-0 break-words text-muted">{hint}</p>}
      </div>
      {children && <div className="flex flex-wrap items-center gap-2">{children}</div>}
    </header>
  );
}

export function Card({
  id,
  title,
  actions,
  children,
  className = "",
}: {
  /** What a link to this part of a screen ends with, after the #. */
  id?: string;
  title?: string;
  actions?: ReactNode;
  children: ReactNode;
  className?: string;
}) {
  return (
    <section id={id} className={`rounded-card bg-paper shadow-[0_1px_4px_#0000001a] ${className}`}>
      {title && (
        <div className="flex min-h-13 flex-wrap items-center justify-between gap-2 border-b border-line px-4 py-2">
          <h2 className="font-semibold">{title}</h2>
          {actions}
        </div>
      )}
      {children}
    </section>
  );
}

/** Facts as name and value, in as many columns as fit. */
export function Facts({ facts }: { facts: { name: string; value: ReactNode }[] }) {
  return (
    <dl className="grid grid-cols-[repeat(auto-fill,minmax(min(11rem,45%),1fr))] gap-x-3 gap-y-4 sm:gap-x-6 p-4">
      {facts.map(({ name, value }) => (
        <div key={name} className="min-w-0">
          <dt className="text-xs text-muted">{name}</dt>
          <dd className="mt-0.5 break-words">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
