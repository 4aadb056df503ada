import type { DeadLetterGroup, Queue } from "@crossdock/contract";
import { List, RotateCcw, Trash2 } from "lucide-react";
import { useIntl } from "react-intl";
import { useText } from "../i18n/i18n.tsx";
import { useIsPermitted } from "../session.ts";
import { Button } from "../ui/button.tsx";
import { Chip } from "../ui/chip.tsx";
import { Time } from "../ui/time.tsx";

type DeadLetterGroupsProps = {
  groups: DeadLetterGroup[];
  queues: Queue[];
  onAsk: (verb: "requeue" | "remove", group: DeadLetterGroup) => void;
  onShow: (group: DeadLetterGroup) => void;
};

/** One entry an error: how many died of it, where and when, and what to do with all of them. */
export function DeadLetterGroups({ groups, queues, onAsk, onShow }: DeadLetterGroupsProps) {
  const t = useText();
  const { formatNumber } = useIntl();
  const disabledReason = useIsPermitted("operate") ? null : t("role.operatorOnly");
  const nameOf = (queueId: number) => queues.find((queue) => queue.id === queueId)?.name ?? String(queueId);
  return (
    <ul>
      {groups.map((group) => (
        <li key={group.fingerprint} className="flex flex-wrap items-center gap-x-6 gap-y-3 border-t border-line px-4 py-4 first:border-t-0">
          <p className="w-16 text-2xl font-semibold text-bad tabular-nums">{formatNumber(group.count, { notation: "compact" })}</p>
          <div className="min-w-[min(18rem,100%)] flex-1">
            <p dir="auto" className="font-medium break-words rtl:text-right">
              {group.error ?? group.errorClass ?? t("deadLetters.noReason")}
            </p>
            <p className="mt-1 flex flex-wrap items-center gap-2 text-xs text-muted">
              {group.errorClass && <Chip tone="bad">{group.errorClass}</Chip>}
              {[...new Set(group.queueIds.map(nameOf))].map((name) => (
                <Chip key={name} tone="neutral">
                  {name}
                </Chip>
              ))}
              <span>
                {t("deadLetters.last")} <Time at={group.lastAt} />
              </span>
              <span>
                {t("deadLetters.first")} <Time at={group.firstAt} />
              </span>
            </p>
          </div>
          <div className="flex flex-wrap gap-2">
            <Button onClick={() => onShow(group)}>
              <List aria-hidden className="size-4" />
              {t("action.show")}
            </Button>
            <Button look="primary" disabledReason={disabledReason} onClick={() => onAsk("requeue", group)}>
              <RotateCcw aria-hidden className="size-4" />
              {t("action.requeue")}
            </Button>
            <Button look="danger" disabledReason={disabledReason} onClick={() => onAsk("remove", group)}>
              <Trash2 aria-hidden className="size-4" />
              {t("action.remove")}
            </Button>
          </div>
        </li>
      ))}
    </ul>
  );
}
