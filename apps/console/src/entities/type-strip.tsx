import type { EntityType } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import { useIntl } from "react-intl";
import { entityTypeLabels, entityTypes } from "../entity-types.ts";
import { useText } from "../i18n/i18n.tsx";
import { Time } from "../ui/time.tsx";
import { entityTypesQuery } from "../session/workspace.ts";

type TypeStripProps = { tenantCode: string; subtenant: string | undefined; selected: EntityType; onSelect: (type: EntityType) => void };

/** The entity types with their counts and how fresh they are; one of them is listed below. */
export function TypeStrip({ tenantCode, subtenant, selected, onSelect }: TypeStripProps) {
  const t = useText();
  const { formatNumber } = useIntl();
  const { data: counted } = useQuery(entityTypesQuery(tenantCode, subtenant));
  return (
    <ul aria-label={t("message.entityType")} className="mb-4 grid grid-cols-2 gap-3 sm:grid-cols-3 xl:grid-cols-6">
      {entityTypes.map((entityType) => {
        const { count, heardOfAt = null } = counted?.find((one) => one.entityType === entityType) ?? {};
        return (
          <li key={entityType} className="grid">
            <button
              type="button"
              aria-pressed={entityType === selected}
              onClick={() => onSelect(entityType)}
              className={`rounded-card bg-paper p-3 text-start shadow-[0_1px_4px_#0000001a] hover:bg-hover ${
                entityType === selected ? "outline-2 outline-primary-ink" : ""
              }`}
            >
              <span className="block text-xs text-muted">{t(entityTypeLabels[entityType])}</span>
              <span className="block text-lg font-semibold tabular-nums">
                {count ? formatNumber(count.count) : "–"}
                {count?.isExact === false && "+"}
              </span>
              <span className="block truncate text-xs text-muted">{heardOfAt === null ? "–" : <Time at={heardOfAt} />}</span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}
