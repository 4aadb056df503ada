import type { Entity, IntegrationPoint, Routes } from "@crossdock/contract";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState, type FormEvent } from "react";
import { api } from "../api.ts";
import { useText } from "../i18n/i18n.tsx";
import { SelectField } from "../ui/field.tsx";
import { FormFooter } from "../ui/form-footer.tsx";
import { walkPages } from "../ui/list-query.ts";
import { Modal } from "../ui/modal.tsx";
import { noticeSuccess } from "../ui/notice.tsx";
import { isChosen, isNothing, type Selection } from "../ui/selection.ts";
import { integrationPointOptions, integrationPointsQuery } from "../workspace.ts";
import { entityPages } from "./queries.ts";
import { typeOf, type EntitySearch } from "./search.ts";

type ResyncDialogProps = {
  tenantCode: string;
  search: EntitySearch;
  selection: Selection;
  onClose: () => void;
  onStarted: () => void;
};

/** Which target is told anew; a run does the rest, at that target's pace. */
export default function ResyncDialog({ tenantCode, search, selection, onClose, onStarted }: ResyncDialogProps) {
  const t = useText();
  const navigate = useNavigate();
  const entityType = typeOf(search);
  const { data: points } = useQuery(integrationPointsQuery(tenantCode));
  const targets = points?.filter(({ direction, entityTypes: types }) => direction !== "source" && types.includes(entityType)) ?? [];
  const [pointId, setPointId] = useState("");
  const target = targets.find(({ id }) => String(id) === pointId) ?? targets[0];
  const start = useMutation({
    mutationFn: async (point: IntegrationPoint) => {
      const keys = isNothing(selection) ? null : await keysOf(tenantCode, search, selection, point.subtenantCode);
      const body = { kind: "resync" as const, integrationPointId: point.id, entityType, ...(keys !== null && { keys }) };
      return api<Routes["createRun"]>("POST", "/tenants/:tenantCode/runs", { params: { tenantCode }, body });
    },
    onSuccess: ({ id }) => {
      noticeSuccess(t("jobStatus.hasStarted"));
      onStarted();
      void navigate({ to: "/jobstatus-list", search: { run: String(id) } });
    },
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (target) start.mutate(target);
  }

  return (
    <Modal
      title={t(isNothing(selection) ? "entities.resyncType" : "entities.resyncSelected")}
      description={t("jobStatus.resyncHint")}
      onClose={onClose}
    >
      <form onSubmit={submit} className="mt-4 grid gap-4">
        {points && targets.length === 0 && <p>{t("jobStatus.noTargets")}</p>}
        {target && (
          <SelectField
            label={t("external.integrationPoint")}
            value={String(target.id)}
            onChange={setPointId}
            options={integrationPointOptions(targets)}
          />
        )}
        <FormFooter
          action={t("jobStatus.start")}
          isBusy={start.isPending}
          disabledReason={target ? null : t("jobStatus.noTargets")}
          refusal={start.error?.message}
          onCancel={onClose}
        />
      </form>
    </Modal>
  );
}

/** Business keys of the chosen objects of one subtenant. */
async function keysOf(tenantCode: string, search: EntitySearch, selection: Selection, subtenantCode: string): Promise<string[]> {
  const chosen: Entity[] = [];
  for await (const rows of walkPages(entityPages(tenantCode, search), new AbortController().signal)) {
    chosen.push(...rows.filter(({ id }) => isChosen(selection, id)));
    if (selection.kind === "some" && chosen.length >= selection.ids.size) break;
  }
  return chosen.filter((entity) => entity.subtenantCode === subtenantCode).map(({ key }) => key);
}
