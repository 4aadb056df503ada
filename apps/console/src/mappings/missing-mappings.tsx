import type { MissingMapping, Subtenant } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import { RefreshCw } from "lucide-react";
import { useId, useState, type FormEvent } from "react";
import { useIntl } from "react-intl";
import { useText } from "../i18n/i18n.tsx";
import { ImpactSamples } from "../impact-view.tsx";
import { directMax } from "../jobs/queries.ts";
import { useBulk } from "../jobs/use-bulk.tsx";
import { useRequeue } from "../messages/message-operations.ts";
import { useRoleReason } from "../session/role-texts.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { InPortions } from "../ui/in-portions.tsx";
import { noticeError } from "../ui/notice.tsx";
import { EmptyState, ErrorState, Loading } from "../ui/states.tsx";
import { subtenantLabel, subtenantsQuery } from "../session/workspace.ts";
import { useConnectorChoices } from "./connector-choices.ts";
import { useCheckMissing, useCreateMapping, useFault } from "./operations.ts";
import { missingQuery } from "./queries.ts";

/** Values that dead letters wait for: fill one in, see what goes out then, and send exactly those messages again. */
export function MissingMappings({ tenantCode }: { tenantCode: string }) {
  const t = useText();
  const { data, error, refetch, isFetching } = useQuery(missingQuery(tenantCode));
  const { data: subtenants } = useQuery(subtenantsQuery(tenantCode));
  const { sources, targets } = useConnectorChoices();
  const requeue = useRequeue(tenantCode);
  const bulk = useBulk(tenantCode, () => void refetch());
  const disabledReason = useRoleReason("operate");
  /** Many are requeued by a job, which asks first, can be paused, and leads to what became of each. */
  const send = (ids: string[]) =>
    ids.length > directMax
      ? bulk.ask({ kind: "requeue", selection: { ids } }, { doneText: "notice.requeued" })
      : requeue.mutate({ ids }, { onSuccess: () => void refetch() });
  if (error && !data) return <ErrorState detail={error.message} onRetry={() => void refetch()} />;
  if (!data) return <Loading />;
  const { items, total, readyIds, isComplete, examined } = data;
  const valuesOf = new Map([...Map.groupBy(items, mappingName)].map(([name, ofMapping]) => [name, ofMapping.length]));
  return (
    <div className="grid gap-4 p-4">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p role="status" className="text-muted">
          {isComplete ? t("missing.examined", { count: examined }) : t("missing.examinedNewest", { count: examined })}
        </p>
        <Button isBusy={isFetching} onClick={() => void refetch()}>
          <RefreshCw aria-hidden className="size-4" />
          {t("missing.lookAgain")}
        </Button>
      </div>
      {readyIds.length > 0 && (
        <div className="flex flex-wrap items-center justify-between gap-3 rounded-card bg-ok-soft p-3 text-ok">
          <p>{t("missing.ready", { count: readyIds.length })}</p>
          <Button isBusy={requeue.isPending} disabledReason={disabledReason} onClick={() => send(readyIds)}>
            {t("missing.requeueReady", { count: readyIds.length })}
          </Button>
        </div>
      )}
      {items.length === 0 && readyIds.length === 0 && <EmptyState title={t("state.noRecord")} hint={t("missing.none")} />}
      <InPortions items={items} total={total}>
        {(shown) => (
          <ul className="grid gap-3">
            {shown.map((missing, place) => (
              <li key={JSON.stringify([missing.fieldName, missing.value, missing.source, missing.target])} className="grid gap-3">
                {mappingName(missing) !== mappingName(shown[place - 1]) && (
                  <h2 className="mt-2 flex flex-wrap items-baseline gap-x-3 font-semibold">
                    <bdi className="min-w-0 break-words">{missing.fieldName}</bdi>
                    <span className="text-sm font-normal text-muted">
                      <bdi>{nameOf(sources, missing.source)}</bdi> <span className="inline-block rtl:-scale-x-100">→</span>{" "}
                      <bdi>{nameOf(targets, missing.target)}</bdi> ·{" "}
                      {t("missing.values", { count: valuesOf.get(mappingName(missing)) ?? 0 })}
                    </span>
                  </h2>
                )}
                <MissingValue
                  tenantCode={tenantCode}
                  missing={missing}
                  subtenants={subtenants}
                  disabledReason={missing.isMasked ? t("reason.fieldMasked") : disabledReason}
                  isRequeuing={requeue.isPending}
                  onSaved={(freedIds) => (freedIds.length > 0 ? send(freedIds) : void refetch())}
                />
              </li>
            ))}
          </ul>
        )}
      </InPortions>
      {bulk.dialog}
    </div>
  );
}

/** What values of one field on one way have in common. */
const mappingName = (missing: MissingMapping | undefined): string =>
  missing ? JSON.stringify([missing.fieldName, missing.source, missing.target]) : "";

function nameOf(choices: readonly { value: string; label: string }[], code: string): string {
  return choices.find((choice) => choice.value === code)?.label ?? code;
}

type MissingValueProps = {
  tenantCode: string;
  missing: MissingMapping;
  subtenants: Subtenant[] | undefined;
  disabledReason: string | null;
  isRequeuing: boolean;
  /** With the dead letters that lack nothing any more. */
  onSaved: (freedIds: string[]) => void;
};

function MissingValue({ tenantCode, missing, subtenants, disabledReason, isRequeuing, onSaved }: MissingValueProps) {
  const t = useText();
  const id = useId();
  const { formatNumber } = useIntl();
  const [targetValue, setTargetValue] = useState("");
  const check = useCheckMissing(tenantCode);
  const create = useCreateMapping(tenantCode);
  const fault = useFault();
  const { fieldName, value, source, target, messages, suggestion } = missing;
  const mapping = { fieldName, source, sourceValue: value, target, targetValue };
  const found = check.data;

  function preview(event: FormEvent): void {
    event.preventDefault();
    if (disabledReason === null && targetValue !== "") check.mutate({ mappings: [mapping] });
  }

  function take(suggested: string): void {
    setTargetValue(suggested);
    check.mutate({ mappings: [{ ...mapping, targetValue: suggested }] });
  }

  /** Goes on when the value, which is no longer missing by then, has left the list before its answer is here. */
  async function save(freedIds: string[]): Promise<void> {
    try {
      await create.mutateAsync(mapping);
      onSaved(freedIds);
    } catch (error) {
      noticeError(fault(error instanceof Error ? error : new Error(String(error))));
    }
  }

  return (
    <section aria-label={`${fieldName} = ${value}`} className="grid min-w-0 gap-3 rounded-card border border-line p-4">
      <div>
        <h3 className="font-semibold break-words">{t("missing.noTargetValue", { field: fieldName, value })}</h3>
        <p className="text-muted">
          {t("missing.blocks", { count: messages, shown: formatNumber(messages), subtenants: missing.subtenants.length })}
        </p>
        <p className="text-xs text-muted">
          {missing.subtenants.map((entry) => `${subtenantLabel(subtenants, entry.code)} (${formatNumber(entry.messages)})`).join(", ")}
        </p>
      </div>
      <form onSubmit={preview} className="flex flex-wrap items-end gap-2">
        <TextField
          id={`${id}-value`}
          className="min-w-48 flex-1"
          label={t("mappings.targetValue")}
          maxLength={500}
          value={targetValue}
          readOnly={disabledReason !== null}
          onChange={(event) => {
            setTargetValue(event.target.value);
            check.reset();
          }}
        />
        <Button
          type="submit"
          isBusy={check.isPending}
          disabledReason={disabledReason ?? (targetValue === "" ? t("missing.valueFirst") : null)}
        >
          {t("impact.preview")}
        </Button>
        {found && (
          <Button
            look="primary"
            isBusy={create.isPending || isRequeuing}
            disabledReason={disabledReason}
            onClick={() => void save(found.freedIds)}
          >
            {t("missing.saveAndRequeue", { count: found.freedIds.length })}
          </Button>
        )}
      </form>
      {suggestion && suggestion.targetValue !== targetValue && (
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
          <span className="min-w-0 break-words text-muted">{t("missing.like", { value: suggestion.like })}</span>
          <Button look="plain" isBusy={check.isPending} disabledReason={disabledReason} onClick={() => take(suggestion.targetValue)}>
            {t("missing.take", { value: suggestion.targetValue })}
          </Button>
        </p>
      )}
      {check.error && (
        <p role="alert" className="text-bad">
          {fault(check.error)}
        </p>
      )}
      {found && (
        <div className="min-w-0">
          <p role="status">
            {t("missing.frees", { count: found.freedIds.length })}
            {found.stillBlocked > 0 && ` ${t("missing.stillBlocked", { count: found.stillBlocked })}`}
          </p>
          <ImpactSamples samples={found.samples} />
        </div>
      )}
    </section>
  );
}
