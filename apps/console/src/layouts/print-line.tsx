import { createPortal } from "react-dom";
import { useIntl } from "react-intl";
import { usePrintedAt } from "../ui/use-printed-at.ts";
import { useActiveTenant } from "../session/workspace.ts";

/** On paper: of which tenant this is, where it was, and when, with the zone in which all times are. */
export function PrintLine() {
  const { formatDate } = useIntl();
  const tenant = useActiveTenant();
  const printedAt = usePrintedAt();
  if (!printedAt) return null;
  return createPortal(
    <p className="border-t border-line p-3 text-xs break-words">
      {tenant && (
        <>
          <bdi>{tenant.name}</bdi> ·{" "}
        </>
      )}
      <bdi>{location.href}</bdi> · {formatDate(printedAt, { dateStyle: "full", timeStyle: "long" })}
    </p>,
    document.body,
  );
}
