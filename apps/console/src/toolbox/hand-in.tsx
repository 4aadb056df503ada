import type { EntityType, HandedDocument } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { EntityTypeField } from "../entity-type-field.tsx";
import { entityTypeLabels, entityTypes } from "../entity-types.ts";
import { useText } from "../i18n/i18n.tsx";
import { useRoleReason } from "../session/role-texts.ts";
import { Button } from "../ui/button.tsx";
import { Chip } from "../ui/chip.tsx";
import { RadioGroup } from "../ui/choice.tsx";
import { control, Labelled } from "../ui/field.tsx";
import { JsonViewer } from "../ui/json/json-viewer.tsx";
import { LeaveGuard } from "../ui/leave-guard.tsx";
import { integrationPointsQuery } from "../session/workspace.ts";
import { Refusal, Said } from "./answers.tsx";
import { examples } from "./examples.ts";
import { useOperation, type ResultOf } from "./operations.ts";
import { states } from "./texts.ts";
import { PointField } from "./point-field.tsx";
import { DryRunFirst, ToolboxForm } from "./toolbox-form.tsx";

const written = (type: EntityType): string => JSON.stringify(examples[type], null, 2);

/** A payload as a source would hand it in: only checked, or published for good after it was. */
export default function HandIn({ tenantCode, operation }: { tenantCode: string; operation: "publish-test" | "validate" }) {
  const t = useText();
  const [pointId, setPointId] = useState("");
  const [entityType, setEntityType] = useState<EntityType>("item");
  const [form, setForm] = useState<"canonical" | "source">("canonical");
  const [payload, setPayload] = useState(() => written("item"));
  const { data: points = [] } = useQuery(integrationPointsQuery(tenantCode));
  const handIn = useOperation(tenantCode, "handed-in");
  const permission = useRoleReason("operate");
  const sources = points.filter(({ sourceTypes }) => sourceTypes.length > 0);
  const point = sources.find(({ id }) => String(id) === pointId);
  const missing = permission ?? (point ? (payload.trim() === "" ? t("toolbox.payloadFirst") : null) : t("toolbox.pointFirst"));

  function ask(isDryRun: boolean): void {
    if (missing !== null) return;
    const given = { integrationPointId: Number(pointId), entityType, payload, isCanonical: form === "canonical" };
    handIn.mutate(operation === "validate" ? { operation, ...given } : { operation, ...given, isDryRun });
  }

  function choose(type: EntityType): void {
    // What somebody wrote stays.
    if (form === "canonical" && (payload.trim() === "" || payload === written(entityType))) setPayload(written(type));
    setEntityType(type);
    handIn.reset();
  }

  const isPublished = handIn.variables?.operation === "publish-test" && handIn.variables.isDryRun === false;
  const isDone = handIn.data !== undefined && (operation === "validate" || isPublished);
  const isTyped = payload.trim() !== "" && !isDone && entityTypes.every((type) => payload !== written(type));
  return (
    <ToolboxForm onSubmit={() => ask(true)}>
      {isTyped && <LeaveGuard />}
      <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
        <PointField
          label={t("toolbox.source")}
          points={sources}
          value={pointId}
          onChange={(value) => {
            setPointId(value);
            handIn.reset();
          }}
        />
        <EntityTypeField value={entityType} onChange={choose} />
      </div>
      <RadioGroup
        label={t("toolbox.form")}
        value={form}
        onChange={(value) => {
          setForm(value);
          handIn.reset();
        }}
        options={[
          { value: "canonical", label: t("toolbox.canonical") },
          { value: "source", label: t("toolbox.sourceForm") },
        ]}
      />
      <Labelled label={t("toolbox.payload")}>
        <textarea
          rows={12}
          dir="ltr"
          spellCheck={false}
          maxLength={400_000}
          value={payload}
          onChange={(event) => {
            setPayload(event.target.value);
            handIn.reset();
          }}
          className={`${control} py-2 font-mono text-xs`}
        />
      </Labelled>
      {operation === "publish-test" && point?.environment === "production" && <Said tone="warn">{t("toolbox.production")}</Said>}
      {operation === "validate" ? (
        <Button type="submit" look="primary" className="justify-self-start" isBusy={handIn.isPending} disabledReason={missing}>
          {t("toolbox.validateNow")}
        </Button>
      ) : (
        <DryRunFirst action={t("toolbox.publish")} isBusy={handIn.isPending} disabledReason={missing} onRun={() => ask(false)} />
      )}
      <Refusal error={handIn.error} />
      {handIn.data && <HandedIn result={handIn.data} isPublished={isPublished} />}
    </ToolboxForm>
  );
}

function HandedIn({ result, isPublished }: { result: ResultOf<"handed-in">; isPublished: boolean }) {
  const t = useText();
  const { state, reasons, documents, messageIds, externalMessageId } = result;
  const isDone = isPublished && state === "accepted";
  return (
    <div className="grid min-w-0 gap-3">
      <Said tone={states[state].tone}>
        {isDone ? t("toolbox.published", { count: messageIds.length }) : t(states[state].text)}{" "}
        {externalMessageId !== null && (
          <Link to="/externalmessages/details/$messageId" params={{ messageId: externalMessageId }} className="underline">
            {t("toolbox.externalMessage")}
          </Link>
        )}
        <ul className="mt-1 list-disc ps-5 text-xs empty:hidden">
          {reasons.map(({ path, message }) => (
            <li key={`${path} ${message}`}>
              <bdi>{path === "" ? message : `${path}: ${message}`}</bdi>
            </li>
          ))}
        </ul>
      </Said>
      {documents.map((document) => (
        <Handed key={`${document.entityType} ${document.key}`} document={document} />
      ))}
    </div>
  );
}

function Handed({ document: { entityType, key, document, targets } }: { document: HandedDocument }) {
  const t = useText();
  return (
    <div className="min-w-0 rounded-card border border-line">
      <p className="flex flex-wrap items-center gap-2 border-b border-line p-3 font-medium">
        <bdi>{key}</bdi>
        <Chip tone="neutral">{t(entityTypeLabels[entityType])}</Chip>
      </p>
      <div className="p-3">
        <JsonViewer text={document} label={t("toolbox.document")} isSearchable={false} />
      </div>
      {targets.length === 0 && <p className="border-t border-line p-3 text-muted">{t("toolbox.noTarget")}</p>}
      {targets.map(({ integrationPointId, name, queueName, error, request }) => (
        <details key={integrationPointId} className="border-t border-line p-3">
          <summary className="cursor-pointer">
            {name} · {queueName}{" "}
            <Chip tone={error === null ? "ok" : "bad"}>{error === null ? t("toolbox.wouldGo") : t("toolbox.wouldFail")}</Chip>
          </summary>
          {error !== null && <bdi className="mt-2 block text-bad">{error}</bdi>}
          {request && (
            <pre dir="ltr" tabIndex={0} className="mt-2 max-h-60 overflow-auto text-xs whitespace-pre-wrap">
              {`${request.method} ${request.url}\n\n${request.body ?? ""}`}
            </pre>
          )}
        </details>
      ))}
    </div>
  );
}
