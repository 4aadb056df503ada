import { Pause, Play } from "lucide-react";
import { useText } from "../i18n/i18n.tsx";
import { Button } from "./button.tsx";
import type { List } from "./use-list.ts";

/** Lets new rows come in on top as they happen, until it is pressed again. */
export function FollowToggle({ list: { isFollowing, follow } }: { list: List<unknown> }) {
  const t = useText();
  const Icon = isFollowing ? Pause : Play;
  return (
    <Button
      look={isFollowing ? "primary" : "quiet"}
      aria-pressed={isFollowing}
      title={t("table.followHint")}
      onClick={() => follow(!isFollowing)}
    >
      <Icon aria-hidden className="size-4" />
      {t("table.follow")}
    </Button>
  );
}
