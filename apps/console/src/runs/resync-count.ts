import type { CappedCount } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import { useIntl } from "react-intl";
import { useText } from "../i18n/i18n.tsx";
import { subtenantLabel, subtenantsQuery } from "../session/workspace.ts";

/** Tells, before objects are sent anew, how many there are, and of which subtenant. */
export function useResyncCountText(tenantCode: string): (count: CappedCount, subtenantCode: string) => string {
  const t = useText();
  const { formatNumber } = useIntl();
  const { data: subtenants } = useQuery(subtenantsQuery(tenantCode));
  return ({ count, isExact }, subtenantCode) =>
    t("entities.resyncCount", {
      count,
      shown: `${formatNumber(count)}${isExact ? "" : "+"}`,
      subtenant: subtenantLabel(subtenants, subtenantCode),
    });
}
