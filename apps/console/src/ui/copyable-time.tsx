import { useIntl } from "react-intl";
import { useText } from "../i18n/i18n.tsx";
import { useCopy } from "./copy-button.tsx";
import { Relative } from "./time.tsx";
import { Tooltip } from "./tooltip.tsx";

/** A moment whose exact time and zone show on hover and focus; a click copies it as ISO 8601. */
export function CopyableTime({ at, isRelative = false }: { at: string | Date; isRelative?: boolean }) {
  const t = useText();
  const { formatDate } = useIntl();
  const { isCopied, copy } = useCopy();
  const moment = new Date(at);
  const exact = formatDate(moment, { dateStyle: "full", timeStyle: "long" });
  return (
    <Tooltip text={isCopied ? t("action.copied") : `${exact} · ${t("time.copy")}`}>
      <button
        type="button"
        onClick={() => copy(moment.toISOString())}
        className="rounded-button text-start underline decoration-dotted underline-offset-4"
      >
        {isRelative ? <Relative moment={moment} /> : formatDate(moment, { dateStyle: "medium", timeStyle: "medium" })}
      </button>
    </Tooltip>
  );
}
