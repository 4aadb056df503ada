import type { ExpiredCount, UsageCategory } from "@crossdock/contract";
import { useIntl } from "react-intl";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";

/** What a tenant's things are called. */
export const categories: Record<UsageCategory, TextKey> = {
  messages: "limits.usage.messages",
  attempts: "limits.usage.attempts",
  rawMessages: "limits.usage.rawMessages",
  removed: "limits.usage.removed",
  runs: "limits.usage.runs",
  versions: "limits.usage.versions",
};

type ExpiredDialogProps = { expired: readonly ExpiredCount[]; onClose: () => void; onConfirm: () => Promise<unknown> };

/** Asks before a tenant's things stay for a shorter time, with what goes then. */
export function ExpiredDialog({ expired, ...dialog }: ExpiredDialogProps) {
  const t = useText();
  const { formatNumber, formatDate } = useIntl();
  return (
    <ConfirmDialog
      title={t("limits.expired.title")}
      text={t("limits.expired.text")}
      actionLabel={t("action.save")}
      look="danger"
      {...dialog}
    >
      <ul className="mt-3 list-disc ps-5">
        {expired.map(({ category, before, count, isExact }) => (
          <li key={category}>
            {t("limits.expired.one", {
              category: t(categories[category]),
              shown: `${formatNumber(count)}${isExact ? "" : "+"}`,
              time: formatDate(before, { dateStyle: "medium", timeStyle: "short" }),
            })}
          </li>
        ))}
      </ul>
    </ConfirmDialog>
  );
}
