import type { IntegrationPoint, Routes } from "@crossdock/contract";
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
import { everything, isChosen, isNothing, type Selection } from "../ui/selection.ts";
import { integrationPointOptions, integrationPointsQuery } from "../workspace.ts";
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

/** Which target is told anew; a run does the rest, at that target's pace. */
export default function ResyncDialog({ tenantCode, search, selection, title, onClose, onStarted }: ResyncDialogProps) {
  const t = useText();
  const navigate = useNavigate();
  const entityType = typeOf(search);
  const { data: points } = useQuery(integrationPointsQuery(tenantCode));
  const { subtenant } = search;
  const targets =
    points?.filter(
      ({ direction, entityTypes: types, subtenantCode }) =>
        direction !== "source" && types.includes(entityType) && (!subtenant || subtenant === subtenantCode),
    ) ?? [];
  const chosen = isNothing(selection) && isFiltered(search) ? everything : selection;
  const [pointId, setPointId] = useState("");
  const target = targets.find(({ id }) => String(id) === pointId) ?? targets[0];
  const start = useMutation({
    mutationFn: async (point: IntegrationPoint) => {
      const keys = isNothing(chosen) ? null : await keysOf(tenantCode, search, chosen, point.subtenantCode);
      if (keys?.length === 0) throw new Error(t("entities.resyncNone", { name: point.name }));
      if (keys && keys.length > keysMax) throw new Error(t("entities.resyncTooMany", { max: keysMax }));
      const body = { kind: "resync" as const, integrationPointId: point.id, entityType, ...(keys !== null && { keys }) };
      return api<Routes["createRun"]>("POST", "/tenants/:tenantCode/runs", { params: { tenantCode }, body });
    },
    onSuccess: ({ id }) => {
      noticeSuccess(t("jobStatus.hasStarted"));
      onStarted();
      void navigate({ to: "/jobstatus-list", search: { run: String(id) }, ignoreBlocker: true });
    },
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (target) start.mutate(target);
  }

  return (
    <Modal title={title} description={t("jobStatus.resyncHint")} onClose={onClose}>
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
        />
      </form>
    </Modal>
  );
}

/** Business keys of the chosen objects of one subtenant; more than a run takes are not read to the end. */
async function keysOf(tenantCode: string, search: EntitySearch, selection: Selection, subtenantCode: string): Promise<string[]> {
  const keys: string[] = [];
  let found = 0;
  for await (const rows of walkPages(entityPages(tenantCode, search), new AbortController().signal)) {
    const chosen = rows.filter(({ id }) => isChosen(selection, id));
    found += chosen.length;
    keys.push(...chosen.filter((entity) => entity.subtenantCode === subtenantCode).map(({ key }) => key));
    if (keys.length > keysMax || (selection.kind === "some" && found >= selection.ids.size)) break;
  }
  return keys;
}
