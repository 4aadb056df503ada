import { createLink } from "@tanstack/react-router";
import type { ComponentProps } from "react";

function RowAnchor({ className = "", children, ...rest }: ComponentProps<"a">) {
  // The row itself is the stop of the keyboard; Enter on it follows this link.
  return (
    <a data-row-link tabIndex={-1} className={`font-medium text-primary-ink hover:underline ${className}`} {...rest}>
      {children}
    </a>
  );
}

/** The link of a table's row: a click anywhere on the row follows it. */
export const RowLink = createLink(RowAnchor);
