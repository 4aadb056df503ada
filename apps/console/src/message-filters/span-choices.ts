import { useIntl } from "react-intl";
import { useText } from "../i18n/i18n.tsx";
import { isMoment } from "./search.ts";

/** What the filters in force tell of a range of time: its ends in the operator's zone and language. */
export function useSpanChoices({ from, to }: { from?: string; to?: string }) {
  const t = useText();
  const { formatDate } = useIntl();
  const momentOf = (text = "") =>
    isMoment(text) ? [{ value: text, label: formatDate(text, { dateStyle: "medium", timeStyle: "short" }) }] : [];
  return {
    from: { name: t("field.from"), options: momentOf(from) },
    to: { name: t("field.to"), options: momentOf(to) },
  };
}
