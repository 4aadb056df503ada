import { Inbox, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { useText } from "../i18n/i18n.tsx";
import { Button } from "./button.tsx";

/** Grey bars in the shape of what is coming. */
export function Loading({ rows = 6 }: { rows?: number }) {
  const t = useText();
  return (
    <div role="status" aria-label={t("state.loading")} className="grid gap-3 p-4">
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className="h-5 animate-pulse rounded-card bg-line" style={{ width: `${96 - ((row * 17) % 40)}%` }} />
      ))}
    </div>
  );
}

/** The same for a table: its toolbar, its header and rows as high as they will be, so that nothing moves when they come. */
export function LoadingRows({ rows = 12 }: { rows?: number }) {
  const t = useText();
  return (
    <div role="status" aria-label={t("state.loading")}>
      <div className="h-12 border-b border-line" />
      {Array.from({ length: rows + 1 }, (_, row) => (
        <div key={row} className="flex h-10 items-center gap-6 border-b border-line px-4">
          <div className="h-4 w-1/4 animate-pulse rounded-card bg-line" />
          <div className="h-4 w-1/6 animate-pulse rounded-card bg-line" />
          <div className="h-4 flex-1 animate-pulse rounded-card bg-line" />
        </div>
      ))}
    </div>
  );
}

export function EmptyState({ title, hint, action }: { title: string; hint?: string; action?: ReactNode }) {
  return (
    <div className="grid grid-cols-1 justify-items-center gap-2 px-4 py-14 text-center">
      <Inbox aria-hidden className="size-9 text-muted" strokeWidth={1.4} />
      <p className="font-medium">{title}</p>
      {hint && <p className="max-w-md text-muted">{hint}</p>}
      {action && <div className="mt-2 max-w-full">{action}</div>}
    </div>
  );
}

/** A part of a screen that couldn't be loaded; the rest goes on working. */
export function ErrorState({ title, detail, onRetry }: { title?: string; detail?: string | undefined; onRetry?: () => void }) {
  const t = useText();
  return (
    <div role="alert" className="grid justify-items-center gap-2 px-4 py-14 text-center">
      <TriangleAlert aria-hidden className="size-9 text-bad" strokeWidth={1.4} />
      <p className="font-medium">{title ?? t("error.generic")}</p>
      {detail && <p className="max-w-md break-words text-muted">{detail}</p>}
      {onRetry && (
        <Button className="mt-2" onClick={onRetry}>
          {t("action.tryAgain")}
        </Button>
      )}
    </div>
  );
}
