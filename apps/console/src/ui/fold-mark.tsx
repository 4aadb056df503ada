import { ChevronRight } from "lucide-react";

/** Says that a summary opens, and whether it is open, where its own marker is lost since it is no list item any more. */
export function FoldMark() {
  return <ChevronRight aria-hidden className="size-4 shrink-0 text-muted rtl:rotate-180 [[open]>summary_&]:rotate-90" />;
}
