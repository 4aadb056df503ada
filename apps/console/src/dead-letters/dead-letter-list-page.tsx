import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { useText } from "../i18n/i18n.tsx";
import { jobSelectionOf, needsJob } from "../jobs/queries.ts";
import { useBulk } from "../jobs/use-bulk.tsx";
import { RedirectDialog, useTrial } from "../jobs/use-trial.tsx";
import { WithTenant } from "../layouts/with-tenant.tsx";
import { lazyPart } from "../lazy-screen.ts";
import { Card, PageHeader } from "../ui/page.tsx";
import { everything, nothing, useSelection, type Selection } from "../ui/selection.ts";
import { subtenantsQuery } from "../session/workspace.ts";
import { Confirmation, type Question } from "./confirmation.tsx";
import { DeadLetterFilters } from "./dead-letter-filters.tsx";
import { DeadLetterList } from "./dead-letter-list.tsx";
import { GroupList } from "./group-list.tsx";
import { deadLetterFilterOf, filtersOf, type DeadLetterSearch } from "./search.ts";
import type { Verb } from "./verb-buttons.tsx";

const PatchDialog = lazyPart(() => import("../jobs/patch-dialog.tsx"));
const route = getRouteApi("/shell/deadletter-list");

const removal = { title: "deadLetters.confirmRemove", doneText: "notice.deadLettersRemoved" } as const;

export function DeadLetterListPage() {
  return <WithTenant>{(tenantCode) => <DeadLetters key={tenantCode} tenantCode={tenantCode} />}</WithTenant>;
}

function DeadLetters({ tenantCode }: { tenantCode: string }) {
  const t = useText();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { data: subtenants } = useQuery(subtenantsQuery(tenantCode));
  const [question, setQuestion] = useState<Question | null>(null);
  const [selection, setSelection] = useSelection(filtersOf(search));
  const show = (next: DeadLetterSearch) => void navigate({ search: next, replace: true });
  const clear = () => show({ view: search.view ?? "" });
  const bulk = useBulk(tenantCode, () => setSelection(nothing));
  const patching = useTrial(PatchDialog, tenantCode, () => setSelection(nothing));
  const redirecting = useTrial(RedirectDialog, tenantCode, () => setSelection(nothing));
  const askByJob = (verb: Verb, chosen: Selection, of: DeadLetterSearch, queueIds?: number[]) => {
    const wanted = jobSelectionOf(chosen, { ...deadLetterFilterOf(of, new Date()), state: ["dead"] });
    if (verb === "patch") patching.ask(wanted);
    else if (verb === "redirect") redirecting.ask(wanted, queueIds);
    else bulk.ask({ kind: verb, selection: wanted }, verb === "remove" ? removal : { doneText: "notice.requeued" });
  };
  const askAboutChosen = (verb: Verb, isAll: boolean) =>
    verb === "patch" || verb === "redirect" || needsJob(selection)
      ? askByJob(verb, selection, search)
      : setQuestion({ verb, ids: [...selection.ids], isAll });

  return (
    <>
      <PageHeader title={t("menu.deadLetters")} hint={t("deadLetters.hint")} />
      <Card>
        <DeadLetterFilters tenantCode={tenantCode} search={search} onChange={show} />
        {search.view === "list" ? (
          <DeadLetterList
            tenantCode={tenantCode}
            search={search}
            subtenants={subtenants}
            selection={selection}
            onSelect={setSelection}
            onAsk={askAboutChosen}
            onOpen={(message) => show({ ...search, message: message ?? "" })}
            onClear={clear}
          />
        ) : (
          <GroupList
            tenantCode={tenantCode}
            search={search}
            onAct={(verb, group) => {
              if (verb === "show") show({ ...search, view: "list", cause: group.fingerprint, triage: "" });
              else askByJob(verb, everything, { ...search, cause: group.fingerprint }, group.queueIds);
            }}
            onClear={clear}
          />
        )}
        {bulk.dialog}
        {patching.dialog}
        {redirecting.dialog}
        {question && (
          <Confirmation
            tenantCode={tenantCode}
            question={question}
            onClose={() => setQuestion(null)}
            onDone={() => {
              setQuestion(null);
              setSelection(nothing);
            }}
          />
        )}
      </Card>
    </>
  );
}
