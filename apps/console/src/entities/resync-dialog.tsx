import type { BodyOf, CappedCount, IntegrationPoint, Routes } from "@crossdock/contract";
import { skipToken, useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState, type FormEvent } from "react";
import { useIntl } from "react-intl";
import { api } from "../api/api.ts";
import { useText } from "../i18n/i18n.tsx";
import { useConfirmation } from "../jobs/confirmation.tsx";
import { directMax } from "../jobs/queries.ts";
import { OptionalChoice } from "../ui/combobox-field.tsx";
import { FormFooter } from "../ui/form-footer.tsx";
import { walkPages } from "../ui/list-query.ts";
import { Modal } from "../ui/modal.tsx";
import { noticeSuccess } from "../ui/notice.tsx";
import { everything, isChosen, isNothing, type Selection } from "../ui/selection.ts";
import { entityTypesQuery, integrationPointOptions, integrationPointsQuery } from "../session/workspace.ts";
import { useResyncCountText } from "../runs/resync-count.ts";
import { entityPages } from "./queries.ts";
import { isFiltered, typeOf, type EntitySearch } from "./search.ts";

/** Objects that one run takes by their keys, as the server has it. */
const keysMax = 10_000;

type ResyncDialogProps = {
  tenantCode: string;
  search: EntitySearch;
  selection: Selection;
  title: string;
  onClose: () => void;
  onStarted: () => void;
};

/** Which target is told anew, and of how many objects; a run does the rest, at that target's pace. */
export default function ResyncDialog({ tenantCode, search, selection, title, onClose, onStarted }: ResyncDialogProps) {
  const t = useText();
  const { formatNumber } = useIntl();
  const navigate = useNavigate();
  const entityType = typeOf(search);
  const isWhole = isNothing(selection) && !isFiltered(search);
  const { data: points } = useQuery(integrationPointsQuery(tenantCode));
  const countText = useResyncCountText(tenantCode);
  const named = useQuery({
    // Outside the tenant's queries: what was counted stays what is sent, whatever comes in meanwhile.
    queryKey: ["resync-keys", tenantCode, search, selection.kind, [...selection.ids]],
    queryFn: isWhole ? skipToken : ({ signal }) => keysOf(tenantCode, search, isNothing(selection) ? everything : selection, signal),
    gcTime: 0,
    staleTime: Infinity,
  });
  const targets = (points ?? []).filter(
    ({ targetTypes, subtenantCode }) => targetTypes.includes(entityType) && (isWhole || named.data?.has(subtenantCode)),
  );
  const [pointId, setPointId] = useState("");
  const target = targets.length === 1 ? targets[0] : targets.find(({ id }) => String(id) === pointId);
  const whole = useQuery({ ...entityTypesQuery(tenantCode, target?.subtenantCode), enabled: isWhole && target !== undefined });
  const keys = target && named.data?.get(target.subtenantCode);
  // A target is of one subtenant.
  const leftOut = keys && named.data ? sizeOf(named.data) - keys.length : 0;
  const count = isWhole ? whole.data?.find((one) => one.entityType === entityType)?.count : exact(keys);
  const isMuch = isWhole || (count !== undefined && count.count > directMax);
  const { fields, given, disabledReason } = useConfirmation({ tenantCode, isReasonNeeded: isMuch, isCodeNeeded: isMuch });
  const start = useMutation({
    mutationFn: (point: IntegrationPoint) => {
      const { reason } = given;
      const body: NonNullable<BodyOf<Routes["createRun"]>> = {
        kind: "resync",
        integrationPointId: point.id,
        entityType,
        ...(keys && { keys }),
        ...(reason !== undefined && { reason }),
      };
      return api<Routes["createRun"]>("POST", "/tenants/:tenantCode/runs", { params: { tenantCode }, body });
    },
    onSuccess: () => noticeSuccess(t("jobStatus.hasStarted")),
  });
  const isCounting = !points || named.isLoading || (target !== undefined && count === undefined && !whole.error);
  const error = named.error ?? whole.error ?? start.error;
  const refusal = named.data === null ? t("entities.resyncTooMany", { max: keysMax }) : error?.message;
  /** Why it can't be started yet. */
  function hindrance(): string | null {
    if (!points || named.isLoading) return t("bulk.counting");
    if (targets.length === 0) return t("jobStatus.noTargets");
    if (!target) return t("entities.resyncTarget");
    if (!count) return t("bulk.counting");
    return count.count === 0 ? t("bulk.none") : disabledReason;
  }

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (!target || hindrance() !== null) return;
    // Nobody who has left the dialog meanwhile is called away.
    start.mutate(target, {
      onSuccess: ({ id }) => {
        onStarted();
        void navigate({ to: "/jobstatus-list", search: { run: String(id) }, ignoreBlocker: true });
      },
    });
  }

  return (
    <Modal title={title} description={t("jobStatus.resyncHint")} onClose={onClose}>
      <form onSubmit={submit} className="mt-4 grid gap-4">
        {!isCounting && !refusal && targets.length === 0 && <p>{t("jobStatus.noTargets")}</p>}
        {targets.length > 0 && (
          <OptionalChoice
            label={t("external.integrationPoint")}
            value={target ? String(target.id) : ""}
            onChange={setPointId}
            none={t("mappings.choose")}
            options={integrationPointOptions(targets)}
          />
        )}
        <div role="status" className="grid gap-1">
          {isCounting && t("bulk.counting")}
          {target && count && <p className="font-medium">{countText(count, target.subtenantCode)}</p>}
          {leftOut > 0 && <p className="text-warn">{t("entities.resyncLeftOut", { count: leftOut, shown: formatNumber(leftOut) })}</p>}
        </div>
        {target && fields}
        <FormFooter action={t("jobStatus.start")} isBusy={start.isPending} disabledReason={hindrance()} refusal={refusal} />
      </form>
    </Modal>
  );
}

type Keys = ReadonlyMap<string, string[]>;

const exact = (keys: string[] | undefined): CappedCount | undefined => keys && { count: keys.length, isExact: true };
const sizeOf = (keys: Keys): number => [...keys.values()].reduce((sum, { length }) => sum + length, 0);

/** Business keys of the chosen objects by their subtenants; null where there are more than a run takes. */
async function keysOf(tenantCode: string, search: EntitySearch, selection: Selection, signal: AbortSignal): Promise<Keys | null> {
  const keys = new Map<string, string[]>();
  let found = 0;
  for await (const rows of walkPages(entityPages(tenantCode, search), signal)) {
    for (const { id, key, subtenantCode } of rows) {
      if (!isChosen(selection, id)) continue;
      const own = keys.get(subtenantCode);
      if (own) own.push(key);
      else keys.set(subtenantCode, [key]);
      found += 1;
    }
    if (found > keysMax) return null;
    if (selection.kind === "some" && found >= selection.ids.size) break;
  }
  return keys;
}
