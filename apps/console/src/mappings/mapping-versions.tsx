import type { MappingChange } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import { useText } from "../i18n/i18n.tsx";
import { useRoleReason } from "../session/role-texts.ts";
import { DataList } from "../ui/data-list.tsx";
import { DifferenceLine } from "../ui/json/difference-line.tsx";
import { EmptyState, ErrorState, Loading } from "../ui/states.tsx";
import { useList } from "../ui/use-list.ts";
import { RollBackForm, VersionList } from "../ui/version-list.tsx";
import { useRollBack } from "./operations.ts";
import { versionQuery, versionsQuery } from "./queries.ts";

/** Every change of the mappings with its author, what it changed, and the way back to it. */
export default function MappingVersions({ tenantCode }: { tenantCode: string }) {
  const t = useText();
  const list = useList(versionsQuery(tenantCode));
  const newest = list.firstIndex === 0 ? list.rows[0] : undefined;
  return (
    <DataList list={list} empty={<EmptyState title={t("state.noRecord")} hint={t("mappings.noVersions")} />}>
      <VersionList
        list={list}
        summary={({ added, changed, removed }) => t("version.counts", { added, changed, removed })}
        details={(row, previous) => (
          // The newest is undone by the one before it.
          <VersionDetails tenantCode={tenantCode} version={row.version} to={row === newest ? previous?.version : row.version} />
        )}
      />
    </DataList>
  );
}

type VersionDetailsProps = {
  tenantCode: string;
  version: number;
  /** The version that can be gone back to from here. */
  to: number | undefined;
};

function VersionDetails({ tenantCode, version, to }: VersionDetailsProps) {
  const t = useText();
  const { data, error, refetch } = useQuery(versionQuery(tenantCode, version));
  const { data: way } = useQuery(versionQuery(tenantCode, to ?? version));
  const rollBack = useRollBack(tenantCode);
  const disabledReason = useRoleReason("operate");
  if (error && !data) return <ErrorState detail={error.message} onRetry={() => void refetch()} />;
  if (!data) return <Loading rows={2} />;
  return (
    <>
      <Changes title={t("version.changes")} changes={data.changes} />
      {to !== undefined && way && way.toRestoreCount > 0 && (
        <>
          <Changes title={t("version.toRestore", { count: way.toRestoreCount })} changes={way.toRestore} />
          <RollBackForm
            version={to}
            isBusy={rollBack.isPending}
            disabledReason={disabledReason}
            onRollBack={(reason) => rollBack.mutate({ version: to, currentVersion: way.currentVersion, reason })}
          />
        </>
      )}
    </>
  );
}

function Changes({ title, changes }: { title: string; changes: readonly MappingChange[] }) {
  return (
    <section className="min-w-0">
      <h3 className="mb-1 text-xs font-semibold text-muted">{title}</h3>
      <ul dir="ltr" className="font-mono text-xs leading-6">
        {changes.map(({ mappingId, before, after }) => (
          <li key={mappingId}>
            <DifferenceLine
              kind={before ? (after ? "changed" : "removed") : "added"}
              before={before ? describe(before) : ""}
              after={after ? describe(after) : ""}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

function describe({ subtenantCode, fieldName, source, sourceValue, target, targetValue }: NonNullable<MappingChange["after"]>): string {
  const place = subtenantCode === null ? "" : ` (${subtenantCode})`;
  return `${fieldName}: ${source} “${sourceValue}” → ${target} “${targetValue}”${place}`;
}
