import type { EntityType, IntegrationPoint } from "@crossdock/contract";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState, type FormEvent } from "react";
import { allOf } from "../all-of.ts";
import { EntityTypeField } from "../entity-type-field.tsx";
import { entityTypes } from "../entity-types.ts";
import { useText } from "../i18n/i18n.tsx";
import { type RunDetails, runQuery } from "../runs/run-query.ts";
import { Labelled, SelectField, TextField, control } from "../ui/field.tsx";
import { FileField } from "../ui/file-field.tsx";
import { CloseFooter, FormFooter } from "../ui/form-footer.tsx";
import { Modal } from "../ui/modal.tsx";
import { ErrorState, Loading } from "../ui/states.tsx";
import { whyUnreadable } from "../unreadable.ts";
import { integrationPointOptions, integrationPointsQuery } from "../session/workspace.ts";
import { formatOf, ImportPreview } from "./import-preview.tsx";
import { onlyOne } from "./only-one.ts";
import { type Format, handInFile, importTypes, readMapping, writeMapping } from "./hand-in.ts";

type ImportDialogProps = { tenantCode: string; again: string | undefined; onClose: () => void; onStarted: (runId: number) => void };

/** A file goes up part by part, and who leaves meanwhile calls its import off. It is then read by the server: closing the browser after that stops nothing. */
export default function ImportDialog({ tenantCode, again, onClose, onStarted }: ImportDialogProps) {
  const t = useText();
  const { data: points, error, refetch } = useQuery(integrationPointsQuery(tenantCode));
  const repeated = useQuery({ ...runQuery(tenantCode, Number(again)), enabled: again !== undefined });
  const sources = points?.filter((point) => offeredTypes(point).length > 0) ?? [];
  const isReady = sources.length > 0 && !repeated.isLoading;
  return (
    <Modal title={t("jobStatus.import")} description={t("jobStatus.importHint")} onClose={onClose}>
      {!points && (error ? <ErrorState detail={error.message} onRetry={() => void refetch()} /> : <Loading rows={3} />)}
      {points && sources.length === 0 && <p className="mt-4">{t("jobStatus.noImportSources")}</p>}
      {points && repeated.isLoading && <Loading rows={3} />}
      {isReady && <Form tenantCode={tenantCode} like={repeated.data} sources={sources} onStarted={onStarted} />}
      {/* Only where it stays: a button that gives way to the form would take the focus out of the dialog. */}
      {sources.length === 0 && (points ?? error) && <CloseFooter onClose={onClose} />}
    </Modal>
  );
}

function offeredTypes({ sourceTypes }: IntegrationPoint) {
  return entityTypes.filter((type) => sourceTypes.includes(type) && importTypes.has(type));
}

const formats = allOf<Format>()(["csv", "ndjson", "xml"]);

type FormProps = Omit<ImportDialogProps, "again" | "onClose"> & {
  sources: IntegrationPoint[];
  /** The import that is repeated with another file. */
  like: RunDetails | undefined;
};

function Form({ tenantCode, like, sources, onStarted }: FormProps) {
  const t = useText();
  const [pointId, setPointId] = useState(like ? String(like.integrationPointId) : onlyOne(sources));
  const [wanted, setWanted] = useState<EntityType | undefined>(entityTypes.find((type) => type === like?.entityType));
  const [format, setFormat] = useState<Format>(like?.file?.format ?? "csv");
  const [element, setElement] = useState(like?.file?.element ?? "item");
  const [mapping, setMapping] = useState(writeMapping(like?.file?.mapping ?? {}));
  const [file, setFile] = useState<File | null>(null);
  const [percent, setPercent] = useState(0);
  const source = sources.find(({ id }) => String(id) === pointId);
  const types = source ? offeredTypes(source) : [];
  const entityType = types.find((type) => type === wanted) ?? types[0];
  const what = { format, element, mapping: readMapping(mapping) };
  const running = useRef<AbortController>(null);
  useEffect(() => () => running.current?.abort(), []);
  const send = useMutation({
    mutationFn: async (wish: Parameters<typeof handInFile>[0]) => {
      const fault = await whyUnreadable(wish.file);
      if (fault) throw new Error(t(fault));
      return handInFile(wish);
    },
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (!source || !entityType || !file || send.isPending) return;
    running.current = new AbortController();
    const { signal } = running.current;
    send.mutate(
      { tenantCode, file, what: { integrationPointId: source.id, entityType, ...what }, onProgress: setPercent, signal },
      { onSuccess: ({ id }) => onStarted(id) },
    );
  }

  async function choose(chosen: File): Promise<void> {
    setFormat(await formatOf(chosen));
    setFile(chosen);
  }

  return (
    <form onSubmit={submit} className="mt-4 grid gap-4">
      <SelectField
        label={t("external.integrationPoint")}
        value={pointId}
        onChange={setPointId}
        options={[{ value: "", label: t("mappings.choose") }, ...integrationPointOptions(sources)]}
      />
      {entityType && <EntityTypeField types={types} value={entityType} onChange={setWanted} />}
      <FileField label={t("field.file")} onChoose={(chosen) => void choose(chosen)} />
      <SelectField
        label={t("jobStatus.format")}
        value={format}
        onChange={(value) => setFormat(formats.find((known) => known === value) ?? "csv")}
        options={formats.map((value) => ({ value, label: value.toUpperCase() }))}
      />
      {format === "xml" && (
        <TextField
          id="import-element"
          dir="ltr"
          label={t("jobStatus.element")}
          value={element}
          onChange={(event) => setElement(event.target.value)}
        />
      )}
      <div className="grid gap-1">
        <Labelled label={t("jobStatus.mapping")}>
          <textarea
            aria-describedby="import-columns"
            dir="ltr"
            rows={5}
            value={mapping}
            placeholder={"sku = Article number\nprice.amount = Price\nprice.currency = =SEK"}
            onChange={(event) => setMapping(event.target.value)}
            className={`${control} py-2 font-mono`}
          />
        </Labelled>
        <p id="import-columns" className="text-xs text-muted">
          {t("jobStatus.mappingHint")}
        </p>
      </div>
      {file && entityType && (
        <ImportPreview
          tenantCode={tenantCode}
          file={file}
          sample={{ entityType, ...what }}
          onMap={(chosen) => setMapping(writeMapping(chosen))}
        />
      )}
      <p role="status" className="min-h-6">
        {send.isPending && t("jobStatus.uploading", { percent })}
      </p>
      <FormFooter
        action={t("jobStatus.importAction")}
        isBusy={send.isPending}
        disabledReason={source ? (file ? null : t("jobStatus.chooseFile")) : t("toolbox.pointFirst")}
        refusal={send.error?.message}
      />
    </form>
  );
}
