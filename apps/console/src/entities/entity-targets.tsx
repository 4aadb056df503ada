import type { EntityDetails, EntityTarget } from "@crossdock/contract";
import { Link } from "@tanstack/react-router";
import { RefreshCw } from "lucide-react";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import { useRoleReason } from "../session/role-texts.ts";
import { Button } from "../ui/button.tsx";
import { Chip, type Tone } from "../ui/chip.tsx";
import { CopyableTime } from "../ui/copyable-time.tsx";
import { Card } from "../ui/page.tsx";
import { useResync } from "./queries.ts";
import type { OpenEntity } from "./search.ts";

const syncs: Record<EntityTarget["sync"], { label: TextKey; tone: Tone }> = {
  "in-sync": { label: "entities.inSync", tone: "ok" },
  outdated: { label: "entities.outdated", tone: "warn" },
  never: { label: "entities.never", tone: "neutral" },
};

type EntityTargetsProps = { tenantCode: string; entity: OpenEntity; details: EntityDetails };

/** Which targets were told the present version, and the way to tell them again. */
export function EntityTargets({ tenantCode, entity, details: { targets } }: EntityTargetsProps) {
  const t = useText();
  const disabledReason = useRoleReason("operate");
  const resync = useResync(tenantCode, entity);
  const isBusy = (target: number | null) => resync.isPending && resync.variables === target;
  return (
    <Card
      title={t("entities.targets")}
      actions={
        targets.length > 1 && (
          <Button disabledReason={disabledReason} isBusy={isBusy(null)} onClick={() => resync.mutate(null)}>
            <RefreshCw aria-hidden className="size-4" />
            {t("entities.resyncAll")}
          </Button>
        )
      }
    >
      {targets.length === 0 && <p className="p-4 text-muted">{t("entities.noTargets")}</p>}
      <ul>
        {targets.map((target) => (
          <li
            key={target.integrationPointId}
            className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line px-4 py-3 first:border-t-0"
          >
            <Knowledge target={target} />
            <Button
              disabledReason={disabledReason}
              isBusy={isBusy(target.integrationPointId)}
              onClick={() => resync.mutate(target.integrationPointId)}
              aria-label={t("entities.resyncTo", { name: target.name })}
            >
              <RefreshCw aria-hidden className="size-4" />
              {t("entities.resync")}
            </Button>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Knowledge({ target }: { target: EntityTarget }) {
  const t = useText();
  const { label, tone } = syncs[target.sync];
  return (
    <div className="min-w-0 flex-1">
      <p className="flex flex-wrap items-center gap-2">
        <span className="font-medium">{target.name}</span>
        <Chip tone={tone}>{t(label)}</Chip>
      </p>
      <p className="mt-1 flex flex-wrap gap-x-3 gap-y-1 text-xs text-muted">
        {target.deliveredVersion !== null && <span>{t("trace.version", { version: target.deliveredVersion })}</span>}
        {target.deliveredAt !== null && <CopyableTime at={target.deliveredAt} isRelative />}
        {target.externalId !== null && <bdi>{target.externalId}</bdi>}
        {target.lastMessage && (
          <Link to="/queue/details/$messageId" params={{ messageId: target.lastMessage.id }} className="text-primary-ink underline">
            {t("entities.lastMessage")}
          </Link>
        )}
      </p>
    </div>
  );
}
