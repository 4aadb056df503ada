import type { CappedCount } from "@crossdock/contract";
import { useIntl } from "react-intl";
import { useText, type TextKey } from "./i18n/i18n.tsx";

type CappedNumberProps = { count: CappedCount; text: TextKey };

/** How many there are, with a plus where counting ended before the last of them. */
export function CappedNumber({ count: { count, isExact }, text }: CappedNumberProps) {
  const t = useText();
  const { formatNumber } = useIntl();
  return t(text, { count, shown: `${formatNumber(count)}${isExact ? "" : "+"}` });
}
