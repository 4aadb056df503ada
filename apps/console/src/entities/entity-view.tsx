import type { EntityDetails } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ArrowLeft } from "lucide-react";
import { DeletedChip } from "../deleted-chip.tsx";
import { entityTypeLabels } from "../entity-types.ts";
import { useText } from "../i18n/i18n.tsx";
import { buttonClass } from "../ui/button.tsx";
import { NotThere } from "../api/not-there.tsx";
import { RevealableJson } from "../masking/revealable-json.tsx";
import { RelatedObjects } from "../related-objects.tsx";
import { Card, PageHeader } from "../ui/page.tsx";
import { CopyableTime } from "../ui/copyable-time.tsx";
import { WayLink } from "../way-link.tsx";
import { EntityTargets } from "./entity-targets.tsx";
import { EntityVersions } from "./entity-versions.tsx";
import { entityQuery } from "./queries.ts";
import type { EntitySearch, OpenEntity } from "./search.ts";

type EntityViewProps = { tenantCode: string; entity: OpenEntity; search: EntitySearch };

/** One object: what it is now, what it was, and which targets know it as it is. */
export default function EntityView({ tenantCode, entity, search }: EntityViewProps) {
  const t = useText();
  const { data, error, refetch } = useQuery(entityQuery(tenantCode, entity));
  const { object: _object, of: _of, test: _test, version: _version, view: _view, ...list } = search;
  return (
    <>
      <PageHeader title={entity.key} hint={data && <Line entity={data} />}>
        <Link to="/entities" search={list} className={buttonClass()}>
          <ArrowLeft aria-hidden className="size-4 rtl:-scale-x-100" />
          {t("menu.entities")}
        </Link>
        <WayLink objectKey={entity.key} />
      </PageHeader>
      {!data && (
        <Card>
          <NotThere error={error} onRetry={() => void refetch()} missing={t("entities.missing")} />
        </Card>
      )}
      {data && (
        <div className="grid grid-cols-1 items-start gap-4 xl:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
          <div className="grid min-w-0 gap-4">
            <Card title={t("details.document")}>
              <RevealableJson
                tenantCode={tenantCode}
                source={{
                  kind: "entity",
                  entityType: data.entityType,
                  subtenant: data.subtenantCode,
                  key: data.key,
                  isDevelopment: data.isDevelopment,
                  version: data.version,
                }}
                text={data.document}
                label={t("details.document")}
              />
            </Card>
          </div>
          <div className="grid min-w-0 gap-4">
            <RelatedObjects {...data} />
            <EntityTargets tenantCode={tenantCode} entity={entity} details={data} />
            <EntityVersions tenantCode={tenantCode} entity={entity} details={data} search={search} />
          </div>
        </div>
      )}
    </>
  );
}

function Line({ entity }: { entity: EntityDetails }) {
  const t = useText();
  return (
    <span className="mt-1 flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
      <span>{t(entityTypeLabels[entity.entityType])}</span>
      <span>{entity.subtenantCode}</span>
      <span>{t("trace.version", { version: entity.version })}</span>
      <CopyableTime at={entity.changedAt} isRelative />
      <DeletedChip at={entity.deletedAt} />
    </span>
  );
}
