import { useCallback } from "react";
import { useIntl } from "react-intl";

/** What the console calls a kB. */
export const kilobyte = 1024;
const units = ["byte", "kilobyte", "megabyte", "gigabyte"] as const;

/** A number of bytes in the unit in which it is easily read, as the language writes it. */
export function useBytes(): (bytes: number) => string {
  const { formatNumber } = useIntl();
  return useCallback(
    (bytes) => {
      const place = Math.min(Math.floor(Math.log(Math.max(bytes, 1)) / Math.log(kilobyte)), units.length - 1);
      const unit = units[place] ?? "byte";
      // The short form of the smallest has no plural: 98 byte.
      const unitDisplay = unit === "byte" ? "long" : "short";
      return formatNumber(bytes / kilobyte ** place, { style: "unit", unit, unitDisplay, maximumFractionDigits: 1 });
    },
    [formatNumber],
  );
}
