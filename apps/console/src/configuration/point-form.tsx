import type { Connector, IntegrationPoint } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useMemo, useReducer, useState, type FormEvent } from "react";
import { entityTypes } from "../entity-types.ts";
import { DraftWatch, useDraft } from "../draft.tsx";
import { useText } from "../i18n/i18n.tsx";
import { ImpactView } from "../impact-view.tsx";
import { useRoleReason } from "../session/role-texts.ts";
import { integrationPointsQuery } from "../session/workspace.ts";
import { Button } from "../ui/button.tsx";
import { Checkbox } from "../ui/choice.tsx";
import { TextField } from "../ui/field.tsx";
import { noticeSuccess } from "../ui/notice.tsx";
import { Card } from "../ui/page.tsx";
import { WithCode } from "../connectors/with-code.tsx";
import { Lacking } from "./lacking.tsx";
import { useConnectorWords, useFieldLabels } from "../connectors/connector-words.ts";
import { DeliveryFields } from "./delivery-fields.tsx";
import {
  blankDraft,
  changeOf,
  draftOf,
  entityTypesOf,
  givenSecrets,
  isPauseOnly,
  newPointOf,
  rivalsOf,
  takesMore,
  type Draft,
} from "./draft.ts";
import { IdentityFields } from "./identity-fields.tsx";
import { fieldFaults, isSystemUnsaid, useCreatePoint, useFault, usePreviewPoint, useTestConnection, useUpdatePoint } from "./operations.ts";
import { fieldsOf } from "../connectors/connector-schema.ts";
import { JsonField, SchemaFields, Unreadable } from "./schema-fields.tsx";
import { SecretFields } from "./secret-fields.tsx";
import { TestResult } from "../targets/test-result.tsx";

type PointFormProps = {
  tenantCode: string;
  subtenantCode: string;
  /** Null: a new one. */
  point: IntegrationPoint | null;
  connectors: readonly Connector[];
  onDone: (id: number) => void;
};

/** An integration point's form, made from its connector's schema, with ways to try it before it is saved. */
export function PointForm({ tenantCode, subtenantCode, point, connectors, onDone }: PointFormProps) {
  const t = useText();
  const [unreadable, countUnreadable] = useReducer((count: number, change: number) => count + change, 0);
  const { base, draft, setDraft, round, saved, ...watch } = useDraft(
    point,
    (stored) => (stored ? draftOf(stored) : blankDraft(subtenantCode)),
    isPauseOnly,
    unreadable > 0,
  );
  const [isJson, setIsJson] = useState(false);
  const disabledReason = useRoleReason("configure");
  const isDisabled = disabledReason !== null;
  const connector = connectors.find(({ code }) => code === draft.connector);
  // The generic connector may serve under a native one's name: which one does is told by the settings.
  const fitting = [connector, connectors.find(({ kind }) => kind === "generic")].find((one) => one && knowsAll(one, draft.settings));
  // Settings that no form knows are shown as they are.
  const isForeign = fitting === undefined;
  const serving = fitting ?? connector;
  const settingFields = useMemo(() => fieldsOf(serving?.settingsSchema ?? {}), [serving]);
  const secretFields = useMemo(() => fieldsOf(serving?.credentialsSchema ?? {}), [serving]);
  const create = useCreatePoint(tenantCode);
  const update = useUpdatePoint(tenantCode, point?.id ?? 0);
  const error = point ? update.error : create.error;
  const { data: points = [] } = useQuery(integrationPointsQuery(tenantCode));
  const wanted = newPointOf(draft);
  const missingReason = wanted ? null : t("configuration.incomplete");
  const set = (change: Partial<Draft>) => setDraft({ ...draft, ...change });
  const navigate = useNavigate();
  const onSuccess = (stored: IntegrationPoint) => {
    if (base && takesMore(base, stored)) {
      const resync = () => void navigate({ to: "/jobstatus-list", search: { resync: String(stored.id) } });
      noticeSuccess(t("configuration.activated"), { label: t("entities.resync"), run: resync });
    } else noticeSuccess(t("notice.saved"));
    saved(stored, draft);
    onDone(stored.id);
  };

  function change(said: { isAnotherSystem?: boolean } = {}): void {
    if (base) update.mutate({ body: { ...changeOf(draft), ...said }, version: base.version }, { onSuccess });
  }

  function save(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    if (isDisabled || !wanted) return;
    // What can't be read is not in the draft: saving would pass over it.
    const unreadable = event.currentTarget.querySelector<HTMLTextAreaElement>("textarea:invalid");
    if (unreadable) return unreadable.focus();
    if (base) change();
    else create.mutate(wanted, { onSuccess });
  }

  return (
    <form noValidate onSubmit={save} className="grid gap-4">
      {disabledReason && <p className="text-muted">{disabledReason}</p>}
      <Card title={t("configuration.what")}>
        <div className="grid gap-4 p-4">
          {!point && <IdentityFields tenantCode={tenantCode} draft={draft} onChange={set} connectors={connectors} />}
          <div className="grid grid-cols-1 items-end gap-4 sm:grid-cols-2">
            <TextField
              id="point-name"
              label={`${t("configuration.name")} *`}
              maxLength={200}
              value={draft.name}
              readOnly={isDisabled}
              onChange={(event) => set({ name: event.target.value })}
            />
            {point && (
              <Checkbox
                className="min-h-9"
                label={t("subtenants.active")}
                isOn={draft.isActive}
                isDisabled={isDisabled}
                onChange={(isActive) => set({ isActive })}
              />
            )}
          </div>
          {point && <Lacking point={point} connector={serving} />}
          {!draft.isActive && draft.targetTypes.length > 0 && (
            <p role="status" className="text-warn">
              {t("configuration.inactive")}
            </p>
          )}
          <DeliveryFields
            draft={draft}
            onChange={set}
            entityTypes={entityTypesOf(connector, entityTypes)}
            rivals={rivalsOf(draft, point?.id, points)}
            isDisabled={isDisabled}
          />
        </div>
      </Card>
      {connector && (
        <Card
          id="settings"
          key={round}
          title={t("configuration.settings")}
          actions={<Checkbox label={t("configuration.asJson")} isOn={isJson || isForeign} isDisabled={isForeign} onChange={setIsJson} />}
        >
          <div className="grid gap-4 p-4">
            <Unverified connector={serving ?? connector} />
            <Unreadable value={countUnreadable}>
              {isJson || isForeign ? (
                <JsonField
                  label={t("configuration.settings")}
                  value={draft.settings}
                  isFit={(value) => value === undefined || isSettings(value)}
                  onChange={(value) => set({ settings: isSettings(value) ? value : {} })}
                  described={{ disabled: isDisabled }}
                />
              ) : (
                <SchemaFields
                  fields={settingFields}
                  values={draft.settings}
                  onChange={(settings) => set({ settings })}
                  faults={faultsOf(error, "settings")}
                  isDisabled={isDisabled}
                />
              )}
            </Unreadable>
          </div>
        </Card>
      )}
      {connector && (
        <Card id="credentials" title={t("configuration.credentials")}>
          <div className="p-4">
            <SecretFields
              fields={secretFields}
              stored={point?.credentialNames ?? []}
              secrets={draft.secrets}
              onChange={(secrets) => set({ secrets })}
              faults={faultsOf(error, "credentials")}
              isDisabled={isDisabled}
            />
          </div>
        </Card>
      )}
      <Card>
        <div className="grid gap-4 p-4">
          <Trials
            // What a trial told is told of no other settings.
            key={JSON.stringify([draft.settings, draft.secrets])}
            tenantCode={tenantCode}
            point={point}
            draft={draft}
            connector={connector}
            disabledReason={disabledReason}
          />
          {error && !watch.isChangedElsewhere && <Refusal error={error} connector={serving} />}
          {isSystemUnsaid(update.error) && update.variables?.body?.settings === draft.settings && (
            <div className="grid gap-2">
              <div className="flex flex-wrap gap-2">
                <Button isBusy={update.isPending} onClick={() => change({ isAnotherSystem: false })}>
                  {t("configuration.sameSystem")}
                </Button>
                <Button isBusy={update.isPending} onClick={() => change({ isAnotherSystem: true })}>
                  {t("configuration.anotherSystem")}
                </Button>
              </div>
              <p className="text-xs text-muted">{t("configuration.systemHelp")}</p>
            </div>
          )}
          <DraftWatch {...watch} />
          <div className="flex flex-wrap items-end gap-2">
            {point && (
              <TextField
                id="point-reason"
                className="min-w-48 flex-1"
                label={t("version.reasonOptional")}
                maxLength={500}
                value={draft.reason}
                readOnly={isDisabled}
                onChange={(event) => set({ reason: event.target.value })}
              />
            )}
            <Button
              type="submit"
              look="primary"
              isBusy={create.isPending || update.isPending}
              disabledReason={disabledReason ?? missingReason}
            >
              {t("action.save")}
            </Button>
          </div>
        </div>
      </Card>
    </form>
  );
}

function knowsAll({ settingsSchema }: Connector, settings: Record<string, unknown>): boolean {
  const known = new Set(fieldsOf(settingsSchema).map(({ name }) => name));
  return Object.keys(settings).every((name) => known.has(name));
}

function isSettings(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !JSON.isRawJSON?.(value);
}

function Refusal({ error, connector }: { error: Error; connector: Connector | undefined }) {
  const t = useText();
  const fault = useFault();
  const labelOf = useFieldLabels(connector);
  /** Of `settings/deliver/item/path` the field's label stands for the first two. */
  const placeOf = (path: string): string => {
    const [, name, inside = ""] = /^(?:settings|credentials|secrets)\/([^/]+)(.*)$/.exec(path) ?? [];
    return name === undefined ? path : labelOf(name) + inside;
  };
  return (
    <p role="alert" className="rounded-card bg-bad-soft p-3 text-bad">
      {fault(error)}{" "}
      {[...fieldFaults(error)].map(([path, message]) => t("text.labelled", { label: placeOf(path), value: message })).join(" · ")}
    </p>
  );
}

/** The faults of one part, by the names of its fields. */
function faultsOf(error: Error | null, part: string): ReadonlyMap<string, string> {
  const own = [...fieldFaults(error)].filter(([path]) => path.startsWith(`${part}/`));
  return new Map(own.map(([path, message]) => [path.slice(part.length + 1), message]));
}

function Unverified({ connector: { unverified } }: { connector: Connector }) {
  const t = useText();
  const words = useConnectorWords();
  if (unverified.length === 0) return null;
  return (
    <details className="rounded-card bg-warn-soft p-3 text-warn">
      <summary className="cursor-pointer font-medium">{t("configuration.unverified", { count: unverified.length })}</summary>
      <ul className="mt-1 list-disc ps-5 text-xs">
        {unverified.map((sentence) => (
          <li key={sentence}>
            <bdi>
              <WithCode text={words(sentence)} />
            </bdi>
          </li>
        ))}
      </ul>
    </details>
  );
}

type TrialsProps = {
  tenantCode: string;
  point: IntegrationPoint | null;
  draft: Draft;
  connector: Connector | undefined;
  disabledReason: string | null;
};

/** Is the system reached, and what would the last messages have looked like? */
function Trials({ tenantCode, point, draft, connector, disabledReason }: TrialsProps) {
  const t = useText();
  const test = useTestConnection(tenantCode);
  const preview = usePreviewPoint(tenantCode, point?.id ?? 0);
  const { settings, secrets } = draft;
  const error = test.error ?? preview.error;
  return (
    <>
      <div className="flex flex-wrap gap-2">
        <Button
          isBusy={test.isPending}
          disabledReason={disabledReason ?? (connector ? null : t("configuration.connectorFirst"))}
          onClick={() =>
            connector &&
            test.mutate({
              connector: connector.code,
              settings,
              credentials: givenSecrets(secrets),
              ...(point && { integrationPointId: point.id }),
            })
          }
        >
          {t("configuration.test")}
        </Button>
        {point && point.targetTypes.length > 0 && (
          <Button
            isBusy={preview.isPending}
            disabledReason={disabledReason}
            onClick={() => preview.mutate({ change: { settings, ...(Object.keys(secrets).length > 0 && { secrets }) }, size: 1000 })}
          >
            {t("impact.preview")}
          </Button>
        )}
      </div>
      {error && <Refusal error={error} connector={connector} />}
      {test.data && <TestResult test={test.data} connector={connector} />}
      {preview.data && <ImpactView impact={preview.data} />}
    </>
  );
}
