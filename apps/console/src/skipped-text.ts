import type { MessageAction, MessageState, SkippedMessage } from "@crossdock/contract";
import { useIntl } from "react-intl";
import { useText, type TextKey } from "./i18n/i18n.tsx";
import { relativeParts } from "./ui/time.tsx";

const actionTexts: Record<MessageAction["verb"], TextKey> = {
  requeue: "skipped.requeued",
  retry: "skipped.retried",
  remove: "skipped.removed",
  restore: "skipped.restored",
  replace: "skipped.replaced",
};

const stateTexts: Record<MessageState, TextKey> = {
  ready: "skipped.ready",
  "in-hand": "skipped.inHand",
  retrying: "skipped.retrying",
  parked: "skipped.parked",
  dead: "skipped.dead",
  delivered: "skipped.delivered",
  superseded: "skipped.superseded",
  removed: "skipped.gone",
  redirected: "skipped.redirected",
};

/** Why messages were left as they are: the first one's reason, and how many more there are. */
export function useSkippedText(): (skipped: readonly SkippedMessage[]) => string {
  const t = useText();
  const { formatRelativeTime } = useIntl();

  function reasonOf({ id, key, state, lastAction }: SkippedMessage): string {
    const name = key ?? id;
    if (state === null) return t("skipped.missing", { name });
    const now = t(stateTexts[state], { name });
    if (!lastAction) return now;
    const when = formatRelativeTime(...relativeParts(new Date(lastAction.at), Date.now()), { numeric: "auto", style: "short" });
    const action = t(actionTexts[lastAction.verb], { name, by: lastAction.by, when });
    // A removal says by itself where the message is, and so does a replacement.
    const isTold = (state === "removed" && lastAction.verb === "remove") || (state === "redirected" && lastAction.verb === "replace");
    return isTold ? action : `${action} ${now}`;
  }

  const tellFirst = useTellFirst();
  return (skipped) => tellFirst(skipped, reasonOf);
}

/** Tells the first one's reason, and how many more there are. */
export function useTellFirst() {
  const t = useText();
  return <Row>([first, ...others]: readonly Row[], reasonOf: (row: Row) => string): string => {
    if (!first) return "";
    return others.length === 0 ? reasonOf(first) : `${reasonOf(first)} ${t("skipped.more", { count: others.length })}`;
  };
}
