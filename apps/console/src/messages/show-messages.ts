import { useNavigate } from "@tanstack/react-router";
import { useText } from "../i18n/i18n.tsx";
import { idsMax } from "../message-filters/search.ts";
import type { NoticeAction } from "../ui/notice.tsx";

/** What leads from a notice to the messages that it is about, and so to what became of them; nothing where a list can't be asked for so many. */
export function useShowMessages(): (ids: readonly string[]) => NoticeAction | undefined {
  const t = useText();
  const navigate = useNavigate();
  return (ids) =>
    ids.length === 0 || ids.length > idsMax
      ? undefined
      : { label: t("action.show"), run: () => void navigate({ to: "/queue", search: { ids: ids.join(" ") } }) };
}
