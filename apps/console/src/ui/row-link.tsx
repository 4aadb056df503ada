import { useRouter } from "@tanstack/react-router";
import type { MouseEvent, ReactNode } from "react";

/**
 * The link of a table's row: a click anywhere on the row follows it, and so does Enter, as the row itself is the stop of the keyboard. It
 * is a bare anchor, because the router's own link follows every change of the address, too much for rows that fly by.
 */
export function RowLink({ href, title, children }: { href: string; title?: string; children: ReactNode }) {
  const follow = useFollow(href);
  return (
    <a
      data-row-link
      dir="auto"
      tabIndex={-1}
      href={href}
      title={title}
      onClick={follow}
      className="inline-block max-w-full truncate align-bottom font-medium text-primary-ink hover:underline"
    >
      {children}
    </a>
  );
}

/** What a click on a bare anchor does: follows `href` without a new page, after `prepare`; a new tab opens the address of the anchor. */
export function useFollow(href: string, prepare?: () => unknown): (event: MouseEvent) => void {
  const router = useRouter();
  return (event) => {
    if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    prepare?.();
    event.preventDefault();
    void router.navigate({ href });
  };
}
