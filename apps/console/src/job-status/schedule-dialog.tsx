import type { IntegrationPoint } from "@crossdock/contract";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { entityTypeLabels, entityTypes } from "../entity-types.ts";
import { useText } from "../i18n/i18n.tsx";
import { Button } from "../ui/button.tsx";
import { SelectField, TextField } from "../ui/field.tsx";
import { Modal } from "../ui/modal.tsx";
import { integrationPointOptions, integrationPointsQuery } from "../workspace.ts";
import { connectorsQuery, createSchedule } from "./queries.ts";

/** Minutes that are offered; anything else is a cron line. */
const intervals = [1, 5, 15, 60, 360, 1_440] as const;
const ownTime = "cron";

export function ScheduleDialog({ tenantCode, onClose }: { tenantCode: string; onClose: () => void }) {
  const t = useText();
  const { data: points } = useQuery(integrationPointsQuery(tenantCode));
  const { data: pulls } = useQuery(connectorsQuery);
  const sources = points?.filter((point) => offeredTypes(point, pulls).length > 0) ?? [];
  return (
    <Modal title={t("jobStatus.newSchedule")} description={t("jobStatus.newScheduleHint")} onClose={onClose}>
      {points && pulls && sources.length === 0 && <p className="mt-4">{t("jobStatus.noSources")}</p>}
      {sources.length > 0 && <Form tenantCode={tenantCode} sources={sources} pulls={pulls} onClose={onClose} />}
    </Modal>
  );
}

type Pulls = ReadonlyMap<string, string[]> | undefined;

function offeredTypes({ connector, direction, entityTypes: types }: IntegrationPoint, pulls: Pulls) {
  if (direction === "target") return [];
  return entityTypes.filter((type) => types.includes(type) && pulls?.get(connector)?.includes(type));
}

type FormProps = { tenantCode: string; sources: IntegrationPoint[]; pulls: Pulls; onClose: () => void };

function Form({ tenantCode, sources, pulls, onClose }: FormProps) {
  const t = useText();
  const client = useQueryClient();
  const [pointId, setPointId] = useState("");
  const [type, setType] = useState("");
  const [timing, setTiming] = useState("15");
  const [cron, setCron] = useState("0 6 * * *");
  const source = sources.find(({ id }) => String(id) === pointId) ?? sources[0];
  const types = source ? offeredTypes(source, pulls) : [];
  const entityType = types.find((known) => known === type) ?? types[0];
  const save = useMutation({
    mutationFn: createSchedule.bind(null, tenantCode),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ["tenant", tenantCode, "schedules"] });
      onClose();
    },
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (!source || !entityType) return;
    const when = timing === ownTime ? { cron } : { everySeconds: Number(timing) * 60 };
    save.mutate({ integrationPointId: source.id, entityType, ...when });
  }

  return (
    <form onSubmit={submit} className="mt-4 grid gap-4">
      <SelectField
        label={t("external.integrationPoint")}
        value={String(source?.id ?? "")}
        onChange={setPointId}
        options={integrationPointOptions(sources)}
      />
      <SelectField
        label={t("message.entityType")}
        value={entityType ?? ""}
        onChange={setType}
        options={types.map((value) => ({ value, label: t(entityTypeLabels[value]) }))}
      />
      <SelectField
        label={t("jobStatus.when")}
        value={timing}
        onChange={setTiming}
        options={[
          ...intervals.map((count) => ({ value: String(count), label: t("jobStatus.every", { count }) })),
          { value: ownTime, label: t("jobStatus.cronOwn") },
        ]}
      />
      {timing === ownTime && (
        <TextField
          id="schedule-cron"
          dir="ltr"
          label={t("jobStatus.cronHint")}
          value={cron}
          onChange={(event) => setCron(event.target.value)}
        />
      )}
      {save.error && (
        <p role="alert" className="text-bad">
          {save.error.message}
        </p>
      )}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>{t("action.cancel")}</Button>
        <Button type="submit" look="primary" isBusy={save.isPending}>
          {t("action.save")}
        </Button>
      </div>
    </form>
  );
}
