import type { SkippedRow } from "@crossdock/contract";
import { useIntl } from "react-intl";
import { useText } from "./i18n/i18n.tsx";
import { useTellFirst } from "./skipped-text.ts";
import { relativeParts } from "./ui/time.tsx";

/** Why external messages, external items and mappings were left as they were: mostly a colleague was faster. */
export function useSkippedRowText(): (skipped: readonly SkippedRow[]) => string {
  const t = useText();
  const { formatRelativeTime } = useIntl();
  const tellFirst = useTellFirst();

  function reasonOf({ name, isThere, removedBy: by, removedAt }: SkippedRow): string {
    if (isThere) return t("skipped.isThere", { name });
    if (by === null || removedAt === null) return t("skipped.missing", { name });
    const when = formatRelativeTime(...relativeParts(new Date(removedAt), Date.now()), { numeric: "auto", style: "short" });
    return t("skipped.removed", { name, by, when });
  }

  return (skipped) => tellFirst(skipped, reasonOf);
}
