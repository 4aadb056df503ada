import type { CircuitFault } from "@crossdock/contract";
import { useIntl } from "react-intl";
import { useText } from "../i18n/i18n.tsx";

/** What a target answers that fails; null where it doesn't answer. Behind a good status the fault stands in the body. */
export function answerOf(fault: CircuitFault | null | undefined): string | null {
  if (fault?.status == null) return null;
  return fault.status < 400 ? fault.errorClass : `HTTP ${fault.status}`;
}

/** How a target fails and since when, e.g. `HTTP 500 since Nov 27, 11:49 AM`. */
export function useFaultSaying(): (fault: CircuitFault) => string {
  const t = useText();
  const { formatDate } = useIntl();
  return (fault) =>
    t("target.failing", {
      // Isolated, as it runs from left to right in every language (Unicode isolates).
      fault: `\u2068${answerOf(fault) ?? fault.errorClass}\u2069`,
      since: formatDate(fault.since, { dateStyle: "medium", timeStyle: "short" }),
    });
}
