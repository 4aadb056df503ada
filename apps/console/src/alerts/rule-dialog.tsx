import type { AlertKind, AlertRule } from "@crossdock/contract";
import { useMutation, useQuery } from "@tanstack/react-query";
import type { FormEvent } from "react";
import { alertKindTexts } from "./alert-labels.tsx";
import type { Place } from "./alert-news.ts";
import { DraftWatch, useDraft } from "../draft.tsx";
import { entityTypeLabels, entityTypes } from "../entity-types.ts";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import { Checkbox } from "../ui/choice.tsx";
import { OptionalChoice } from "../ui/combobox-field.tsx";
import { SelectField } from "../ui/field.tsx";
import { FilterSelect } from "../ui/filter-fields.tsx";
import { FormFooter } from "../ui/form-footer.tsx";
import { Modal } from "../ui/modal.tsx";
import { noticeSuccess } from "../ui/notice.tsx";
import { NumberField } from "../ui/number-field.tsx";
import { useRefresh } from "../live/use-refresh.ts";
import { queueOptions, queuesQuery, subtenantOptions, subtenantsQuery } from "../session/workspace.ts";
import { channelsQuery, createRule, peopleQuery, updateRule } from "./queries.ts";
import { alertKinds } from "./search.ts";
import { useRuleWords } from "./texts.ts";
import { useWhere } from "./use-where.ts";

/** What the threshold counts; a kind without one has nothing to say. */
const thresholds: Partial<Record<AlertKind, { label: TextKey; preset: number }>> = {
  "dead-letters": { label: "alerts.threshold.dead", preset: 100 },
  "dead-letters-rising": { label: "alerts.threshold.dead", preset: 10 },
  "queue-age": { label: "alerts.threshold.minutes", preset: 30 },
  silence: { label: "alerts.threshold.missed", preset: 8 },
  "order-unshipped": { label: "alerts.threshold.hours", preset: 72 },
  "stock-stale": { label: "alerts.threshold.hours", preset: 24 },
  outage: { label: "alerts.threshold.tenants", preset: 2 },
};
const ofQueues: ReadonlySet<AlertKind> = new Set(["dead-letters", "dead-letters-rising", "queue-age", "circuit-open"]);

type Draft = Omit<AlertRule, "id" | "version" | "openCount" | "isActive">;

const fresh: Draft = {
  kind: "dead-letters",
  threshold: 100,
  windowSeconds: 900,
  forSeconds: 60,
  recoverSeconds: 300,
  subtenantCode: null,
  queueId: null,
  entityType: null,
  ownerId: null,
  channelIds: null,
};

function draftOf(rule: AlertRule | null): Draft {
  if (rule === null) return fresh;
  const { id: _id, version: _version, openCount: _openCount, isActive: _isActive, ...draft } = rule;
  return draft;
}

type RuleDialogProps = { place: Place; rule: AlertRule | null; onClose: () => void };

/** Makes or changes a rule; what it will do stands below in words. */
export default function RuleDialog({ place, rule, onClose }: RuleDialogProps) {
  const t = useText();
  const refresh = useRefresh(place.tenantCode);
  const words = useRuleWords();
  const where = useWhere(place);
  const { base, draft, setDraft, saved: _saved, ...watch } = useDraft(rule, draftOf);
  const set = (part: Partial<Draft>) => setDraft({ ...draft, ...part });
  const save = useMutation({
    mutationFn: () => {
      const { kind, threshold, windowSeconds, forSeconds, recoverSeconds, subtenantCode, queueId, entityType, ownerId, channelIds } = draft;
      const fields = { threshold, windowSeconds, forSeconds, recoverSeconds, subtenantCode, queueId, entityType, ownerId, channelIds };
      if (base) return updateRule(place, base.id, fields, base.version);
      return createRule(place.tenantCode, { ...fields, kind: kind === "outage" ? "circuit-open" : kind });
    },
    onSuccess: () => noticeSuccess(t("notice.saved")),
    // Not waited for: the dialog would take its own version for somebody else's.
    onSettled: () => void refresh(),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!save.isPending) save.mutate(undefined, { onSuccess: onClose });
  };
  return (
    <Modal title={t(rule ? "alerts.editRule" : "alerts.newRule")} onClose={onClose}>
      <form noValidate onSubmit={submit} className="mt-4 grid gap-4">
        <Condition draft={draft} isNew={rule === null} onChange={set} />
        {!place.isInstallation && <Scope place={place} draft={draft} onChange={set} />}
        <Telling place={place} draft={draft} onChange={set} />
        <p aria-live="polite" className="rounded-card bg-info-soft p-3 text-info">
          {words(draft, where(draft))}
        </p>
        <DraftWatch {...watch} />
        <FormFooter action={t("action.save")} isBusy={save.isPending} refusal={!watch.isChangedElsewhere && save.error?.message} />
      </form>
    </Modal>
  );
}

type PartProps = { draft: Draft; onChange: (part: Partial<Draft>) => void };

const minutes = (seconds: number): number => Math.round(seconds / 60);

function Condition({ draft, isNew, onChange }: PartProps & { isNew: boolean }) {
  const t = useText();
  const limit = thresholds[draft.kind];
  const choose = (value: string) => {
    const kind = alertKinds.find((known) => known === value) ?? "dead-letters";
    onChange({
      kind,
      threshold: thresholds[kind]?.preset ?? 1,
      entityType: kind === "silence" ? "order" : null,
      ...(!ofQueues.has(kind) && { queueId: null }),
    });
  };
  return (
    <>
      {isNew && (
        <SelectField
          label={t("alerts.kind")}
          value={draft.kind}
          onChange={choose}
          options={alertKinds.filter((kind) => kind !== "outage").map((value) => ({ value, label: t(alertKindTexts[value]) }))}
        />
      )}
      <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
        {limit && (
          <NumberField
            label={t(limit.label)}
            value={draft.threshold}
            min={1}
            max={1_000_000}
            onChange={(value) => onChange({ threshold: value })}
          />
        )}
        {draft.kind === "dead-letters-rising" && (
          <NumberField
            label={t("alerts.window")}
            value={minutes(draft.windowSeconds)}
            min={1}
            max={1_440}
            onChange={(value) => onChange({ windowSeconds: value * 60 })}
          />
        )}
        <NumberField
          label={t("alerts.for")}
          value={minutes(draft.forSeconds)}
          min={0}
          max={1_440}
          onChange={(value) => onChange({ forSeconds: value * 60 })}
        />
        <NumberField
          label={t("alerts.recover")}
          value={minutes(draft.recoverSeconds)}
          min={0}
          max={1_440}
          onChange={(value) => onChange({ recoverSeconds: value * 60 })}
        />
      </div>
    </>
  );
}

function Scope({ place, draft, onChange }: PartProps & { place: Place }) {
  const t = useText();
  const { data: subtenants = [] } = useQuery(subtenantsQuery(place.tenantCode));
  const { data: queues = [] } = useQuery(queuesQuery(place.tenantCode));
  return (
    <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
      <FilterSelect
        label={t("filter.subtenant")}
        value={draft.subtenantCode ?? ""}
        onChange={(code) => onChange({ subtenantCode: code === "" ? null : code, queueId: null })}
        options={subtenantOptions(subtenants)}
      />
      {ofQueues.has(draft.kind) && (
        <FilterSelect
          label={t("filter.queue")}
          value={draft.queueId === null ? "" : String(draft.queueId)}
          onChange={(id) => onChange({ queueId: id === "" ? null : Number(id) })}
          options={queueOptions(queues.filter((queue) => draft.subtenantCode === null || queue.subtenantCode === draft.subtenantCode))}
        />
      )}
      {draft.kind === "silence" && (
        <FilterSelect
          label={t("message.entityType")}
          value={draft.entityType ?? ""}
          onChange={(type) => onChange({ entityType: entityTypes.find((known) => known === type) ?? null })}
          options={entityTypes.map((value) => ({ value, label: t(entityTypeLabels[value]) }))}
        />
      )}
    </div>
  );
}

function Telling({ place, draft, onChange }: PartProps & { place: Place }) {
  const t = useText();
  const { data: channels = [] } = useQuery(channelsQuery(place));
  const { data: people = [] } = useQuery(peopleQuery(place));
  const chosen = draft.channelIds ?? channels.map(({ id }) => id);
  return (
    <>
      <OptionalChoice
        label={t("triage.owner")}
        none={t("triage.nobody")}
        value={draft.ownerId === null ? "" : String(draft.ownerId)}
        onChange={(id) => onChange({ ownerId: id === "" ? null : Number(id) })}
        options={people.map(({ id, name }) => ({ value: String(id), label: name }))}
      />
      {channels.length > 0 && (
        <fieldset className="grid gap-1.5">
          <legend className="mb-1 text-xs text-muted">{t("alerts.channels")}</legend>
          <Checkbox
            label={t("alerts.allChannels")}
            isOn={draft.channelIds === null}
            onChange={(isOn) => onChange({ channelIds: isOn ? null : channels.map(({ id }) => id) })}
          />
          {draft.channelIds !== null &&
            channels.map(({ id, name }) => (
              <Checkbox
                key={id}
                className="ps-6"
                label={name}
                isOn={chosen.includes(id)}
                onChange={(isOn) => onChange({ channelIds: isOn ? [...chosen, id] : chosen.filter((one) => one !== id) })}
              />
            ))}
        </fieldset>
      )}
    </>
  );
}
