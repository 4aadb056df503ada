import { useIntl } from "react-intl";
import { useText } from "../i18n/i18n.tsx";
import { useCopy } from "./copy-button.tsx";
import { Relative } from "./time.tsx";

/** A moment whose exact time and zone show on hover, and in its place while it has the focus; a click copies it as ISO 8601. */
export function CopyableTime({ at, isRelative = false }: { at: string | Date; isRelative?: boolean }) {
  const t = useText();
  const { formatDate } = useIntl();
  const { isCopied, copy } = useCopy();
  const moment = new Date(at);
  const exact = formatDate(moment, { dateStyle: "full", timeStyle: "long" });
  return (
    <button
      type="button"
      title={`${exact} · ${t("time.copy")}`}
      onClick={() => copy(moment.toISOString())}
      className="group rounded-button text-start underline decoration-dotted underline-offset-4"
    >
      <span role="status">{isCopied && t("action.copied")}</span>
      {!isCopied && (
        <>
          <span className="group-focus-visible:hidden">
            {isRelative ? <Relative moment={moment} /> : formatDate(moment, { dateStyle: "medium", timeStyle: "medium" })}
          </span>
          <span className="hidden group-focus-visible:inline">{exact}</span>
        </>
      )}
    </button>
  );
}
