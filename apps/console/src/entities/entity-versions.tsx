import type { EntityDetails } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Suspense } from "react";
import { lazyPart } from "../lazy-screen.ts";
import { useText } from "../i18n/i18n.tsx";
import { CopyableTime } from "../ui/copyable-time.tsx";
import { parseJson } from "../ui/json/json-tree.ts";
import { Card } from "../ui/page.tsx";
import { Loading } from "../ui/states.tsx";
import { entityVersionQuery } from "./queries.ts";
import type { EntitySearch, OpenEntity } from "./search.ts";

const JsonDiffViewer = lazyPart(() => import("../ui/json/json-diff-viewer.tsx"));

type EntityVersionsProps = { tenantCode: string; entity: OpenEntity; details: EntityDetails; search: EntitySearch };

/** The object's versions; one that is chosen is compared with the present one. */
export function EntityVersions({ tenantCode, entity, details, search }: EntityVersionsProps) {
  const t = useText();
  const chosen = details.versions.find(({ version }) => String(version) === search.version && version !== details.version);
  return (
    <>
      <Card title={t("entities.versions")}>
        <ol className="max-h-80 overflow-y-auto">
          {details.versions.map(({ version, source, createdAt, externalMessageId }) => (
            <li
              key={version}
              className={`flex flex-wrap items-center gap-x-4 gap-y-1 border-t border-line px-4 py-2.5 first:border-t-0 ${version === chosen?.version ? "bg-primary-soft" : ""}`}
            >
              <span className="font-medium">{t("trace.version", { version })}</span>
              <span>{source}</span>
              <CopyableTime at={createdAt} isRelative />
              {externalMessageId !== null && (
                <Link
                  to="/externalmessages/details/$messageId"
                  params={{ messageId: externalMessageId }}
                  className="text-primary-ink underline"
                >
                  {t("trace.externalMessage")}
                </Link>
              )}
              {version !== details.version && (
                <Link
                  to="/entities"
                  search={{ ...search, version: String(version) }}
                  replace
                  className="ms-auto text-primary-ink underline"
                >
                  {t("entities.compare")}
                </Link>
              )}
            </li>
          ))}
        </ol>
      </Card>
      {chosen && <Comparison tenantCode={tenantCode} entity={entity} details={details} version={chosen.version} />}
    </>
  );
}

type ComparisonProps = Omit<EntityVersionsProps, "search"> & { version: number };

function Comparison({ tenantCode, entity, details, version }: ComparisonProps) {
  const t = useText();
  const { data } = useQuery(entityVersionQuery(tenantCode, entity, version));
  const [before, after] = [data && parseJson(data.document), parseJson(details.document)];
  const title = t("entities.comparison", { from: version, to: details.version });
  return (
    <Card title={title}>
      <Suspense fallback={<Loading rows={4} />}>
        {before && after ? <JsonDiffViewer before={before.value} after={after.value} label={title} /> : <Loading rows={4} />}
      </Suspense>
    </Card>
  );
}
