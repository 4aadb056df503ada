import type { Connector, EntityType, IntegrationPoint, ScheduleKind } from "@crossdock/contract";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { abilitiesOf } from "../runs/abilities.ts";
import { allOf } from "../all-of.ts";
import { EntityTypeField } from "../entity-type-field.tsx";
import { entityTypes } from "../entity-types.ts";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import { useConfirmation } from "../jobs/confirmation.tsx";
import { useResyncCountText } from "../runs/resync-count.ts";
import { runKindTexts } from "../runs/run-labels.tsx";
import { OptionalChoice } from "../ui/combobox-field.tsx";
import { SelectField } from "../ui/field.tsx";
import { CloseFooter, FormFooter } from "../ui/form-footer.tsx";
import { Modal } from "../ui/modal.tsx";
import { ErrorState, Loading } from "../ui/states.tsx";
import { useRefresh } from "../live/use-refresh.ts";
import {
  connectorsQuery,
  entityTypesQuery,
  integrationPointOptions,
  integrationPointsQuery,
  subtenantOptions,
  subtenantsQuery,
} from "../session/workspace.ts";
import { onlyOne } from "./only-one.ts";
import { createRun, createSchedule } from "./queries.ts";
import { type TimingDraft, TimingFields, timingOf, usualCron } from "./timing-fields.tsx";

const kindHints: Record<ScheduleKind, TextKey> = {
  poll: "jobStatus.newScheduleHint",
  deletions: "jobStatus.deletionsHint",
  reconciliation: "jobStatus.reconciliationHint",
  resync: "jobStatus.resyncHint",
  export: "jobStatus.exportHint",
};

type JobDialogProps = {
  tenantCode: string;
  /** Now and once; else by a schedule. */
  isOnce: boolean;
  /** Id of the target to which it is offered first to send everything anew. */
  resync?: string | undefined;
  onClose: () => void;
  onStarted?: (runId: number) => void;
};

const kinds = {
  once: allOf<Exclude<ScheduleKind, "poll">>()(["reconciliation", "resync", "deletions", "export"]),
  scheduled: allOf<ScheduleKind>()(["poll", "reconciliation", "resync", "deletions", "export"]),
};

/** What is to be done, with which system, and when. */
export default function JobDialog({ tenantCode, isOnce, resync, onClose, onStarted }: JobDialogProps) {
  const t = useText();
  const offered: readonly ScheduleKind[] = isOnce ? kinds.once : kinds.scheduled;
  const [kind, setKind] = useState<ScheduleKind>(resync === undefined ? (isOnce ? "reconciliation" : "poll") : "resync");
  const { data: points, ...reading } = useQuery(integrationPointsQuery(tenantCode));
  const { data: connectors, ...asking } = useQuery(connectorsQuery);
  const error = reading.error ?? asking.error;
  return (
    <Modal title={t(isOnce ? "jobStatus.newRun" : "jobStatus.newSchedule")} description={t(kindHints[kind])} onClose={onClose}>
      <div className="mt-4">
        <SelectField
          label={t("jobStatus.kind")}
          value={kind}
          onChange={(value) => setKind(offered.find((known) => known === value) ?? kind)}
          options={offered.map((value) => ({ value, label: t(runKindTexts[value]) }))}
        />
      </div>
      {points && connectors ? (
        <Form
          key={kind}
          {...{ tenantCode, isOnce, kind, resync, points, connectors, onClose }}
          onStarted={(id) => {
            onClose();
            onStarted?.(id);
          }}
        />
      ) : (
        <>
          {error ? (
            <ErrorState detail={error.message} onRetry={() => void Promise.all([reading.refetch(), asking.refetch()])} />
          ) : (
            <Loading rows={3} />
          )}
          <CloseFooter onClose={onClose} />
        </>
      )}
    </Modal>
  );
}

/** The entity types of a point for which this can be done. */
function typesOf(point: IntegrationPoint, kind: ScheduleKind, connectors: readonly Connector[]) {
  const isSource = asksSource(kind);
  const own = isSource ? point.sourceTypes : point.targetTypes;
  const able: readonly string[] = kind === "resync" ? own : abilitiesOf(connectors, point)[isSource ? "pulls" : "lists"];
  return entityTypes.filter((type) => own.includes(type) && able.includes(type) && (kind !== "deletions" || type === "item"));
}

function asksSource(kind: ScheduleKind): boolean {
  return kind === "poll" || kind === "deletions";
}

type FormProps = {
  tenantCode: string;
  isOnce: boolean;
  kind: ScheduleKind;
  resync: string | undefined;
  points: IntegrationPoint[];
  connectors: readonly Connector[];
  onClose: () => void;
  onStarted: (runId: number) => void;
};

function Form({ tenantCode, isOnce, kind, resync, points, connectors, onClose, onStarted }: FormProps) {
  const t = useText();
  const refresh = useRefresh(tenantCode);
  const { data: subtenants = [] } = useQuery(subtenantsQuery(tenantCode));
  const able = points.filter((point) => typesOf(point, kind, connectors).length > 0);
  const [pointId, setPointId] = useState(kind === "resync" && resync !== undefined ? resync : onlyOne(able));
  const [wanted, setWanted] = useState<EntityType>();
  const [sourceId, setSourceId] = useState("");
  const [subtenant, setSubtenant] = useState("");
  const [timing, setTiming] = useState<TimingDraft>({ everySeconds: kind === "poll" ? 900 : 86_400, cron: usualCron });
  const point = able.find(({ id }) => String(id) === pointId);
  const types = kind === "export" ? entityTypes : point ? typesOf(point, kind, connectors) : [];
  const entityType = types.find((type) => type === wanted) ?? types[0];
  const sources = points.filter(
    (each) =>
      each.id !== point?.id &&
      each.subtenantCode === point?.subtenantCode &&
      typesOf(each, "poll", connectors).some((one) => one === entityType),
  );
  // By hand it is asked about as on the objects' own screen: all of them go to the target at once.
  const isAsked = isOnce && kind === "resync";
  const counted = useQuery({ ...entityTypesQuery(tenantCode, point?.subtenantCode), enabled: isAsked && point !== undefined });
  const count = counted.data?.find((one) => one.entityType === entityType)?.count;
  const countText = useResyncCountText(tenantCode);
  const confirmation = useConfirmation({ tenantCode, isReasonNeeded: isAsked, isCodeNeeded: isAsked });
  const source = sources.find(({ id }) => String(id) === sourceId);
  const code = subtenants.find((each) => each.code === subtenant)?.code ?? subtenants[0]?.code;
  const save = useMutation({
    mutationFn: async () => {
      if (!entityType) return null;
      const ofKind = kind === "export" ? { subtenantCode: code } : { integrationPointId: point?.id };
      const { reason } = confirmation.given;
      const what = { ...ofKind, entityType, ...(kind === "reconciliation" && source && { sourceIntegrationPointId: source.id }) };
      if (isOnce && kind !== "poll") return createRun(tenantCode, { kind, ...what, ...(reason !== undefined && { reason }) });
      await createSchedule(tenantCode, { kind, ...what, ...timingOf(timing) });
      return null;
    },
    onSuccess: refresh,
  });

  /** Why it can't be sent yet. */
  function hindrance(): string | null {
    if (kind === "export") return null;
    if (!point) return t("toolbox.pointFirst");
    if (!isAsked) return null;
    if (!count) return t("bulk.counting");
    return count.count === 0 ? t("bulk.none") : confirmation.disabledReason;
  }

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (hindrance() !== null) return;
    // Nobody who has left the dialog meanwhile is called back.
    save.mutate(undefined, { onSuccess: (run) => (run ? onStarted(run.id) : onClose()) });
  }

  if (kind !== "export" && able.length === 0)
    return (
      <>
        <p className="mt-4">{t(asksSource(kind) ? "jobStatus.noSources" : "jobStatus.noTargets")}</p>
        <CloseFooter onClose={onClose} />
      </>
    );
  return (
    <form onSubmit={submit} className="mt-4 grid gap-4">
      {kind === "export" ? (
        <SelectField label={t("filter.subtenant")} value={code ?? ""} onChange={setSubtenant} options={subtenantOptions(subtenants)} />
      ) : (
        <OptionalChoice
          label={t("external.integrationPoint")}
          none={t("mappings.choose")}
          value={pointId}
          onChange={setPointId}
          options={integrationPointOptions(able)}
        />
      )}
      {entityType && <EntityTypeField types={types} value={entityType} onChange={setWanted} />}
      {entityType && kind === "reconciliation" && (
        <OptionalChoice
          label={t("jobStatus.comparedWith")}
          none={t("jobStatus.asKnown")}
          value={String(source?.id ?? "")}
          onChange={setSourceId}
          options={integrationPointOptions(sources)}
        />
      )}
      {isAsked && point && (
        <>
          <p role="status" className="font-medium">
            {count ? countText(count, point.subtenantCode) : t("bulk.counting")}
          </p>
          {confirmation.fields}
        </>
      )}
      {!isOnce && <TimingFields timing={timing} onChange={setTiming} />}
      <FormFooter
        action={t(isOnce ? "jobStatus.start" : "action.save")}
        isBusy={save.isPending}
        disabledReason={hindrance()}
        refusal={(counted.error ?? save.error)?.message}
      />
    </form>
  );
}
