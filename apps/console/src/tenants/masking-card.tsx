import type { MaskingRules, Routes } from "@crossdock/contract";
import { queryOptions, useMutation, useQuery } from "@tanstack/react-query";
import { useId, type FormEvent } from "react";
import { api } from "../api/api.ts";
import { DraftWatch, isOvertaken, useDraft } from "../draft.tsx";
import { useFailureNotice } from "../api/failure-notice.ts";
import { useText } from "../i18n/i18n.tsx";
import { ApiError } from "../api/problem.ts";
import { useRoleReason } from "../session/role-texts.ts";
import { Button } from "../ui/button.tsx";
import { control, Labelled } from "../ui/field.tsx";
import { noticeSuccess } from "../ui/notice.tsx";
import { Card } from "../ui/page.tsx";
import { ErrorState, Loading } from "../ui/states.tsx";
import { useRefresh } from "../live/use-refresh.ts";

const path = "/tenants/:tenantCode/masking-rules";

function maskingRulesQuery(tenantCode: string) {
  return queryOptions({
    queryKey: ["tenant", tenantCode, "masking-rules"],
    queryFn: ({ signal }) => api<Routes["getMaskingRules"]>("GET", path, { params: { tenantCode }, signal }),
  });
}

/** Which fields of a tenant's documents are shown masked. */
export function MaskingCard({ tenantCode }: { tenantCode: string }) {
  const t = useText();
  const { data: rules, error, refetch } = useQuery(maskingRulesQuery(tenantCode));
  return (
    <Card title={t("masking.title")}>
      {rules && <MaskingForm tenantCode={tenantCode} rules={rules} />}
      {!rules && (error ? <ErrorState detail={error.message} onRetry={() => void refetch()} /> : <Loading />)}
    </Card>
  );
}

const fieldsOf = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

/** Which of the fields that were sent the server does not take, and why. */
function wrongOf(error: Error | null, sent: string): { field: string; message: string }[] {
  const fields = fieldsOf(sent);
  const errors = error instanceof ApiError ? (error.problem.errors ?? []) : [];
  return errors.flatMap(({ path: at, message }) => {
    const index = /\bfields\/(\d+)$/.exec(at)?.[1];
    return index === undefined ? [] : [{ field: fields[Number(index)] ?? "", message }];
  });
}

const draftOf = ({ fields }: MaskingRules) => fields.join("\n");

/** What is sent in the place of the rules `over`, while the form shows `shown`. */
type Save = { sent: string; shown: string; over: MaskingRules };

function MaskingForm({ tenantCode, rules }: { tenantCode: string; rules: MaskingRules }) {
  const t = useText();
  const refresh = useRefresh(tenantCode);
  const hintId = useId();
  const disabledReason = useRoleReason("configure");
  const { base, draft: text, setDraft, saved, ...watch } = useDraft(rules, draftOf);
  const failed = useFailureNotice();
  const save = useMutation({
    mutationFn: ({ sent, over }: Save) =>
      api<Routes["updateMaskingRules"]>("PUT", path, {
        params: { tenantCode },
        body: { fields: fieldsOf(sent) },
        ifVersion: over.version,
      }),
    // It applies to all that is shown from now on, so the way back is where it is told.
    onSuccess: (stored, { shown, over }) => {
      const takeBack = () => save.mutate({ sent: draftOf(over), shown: draftOf(stored), over: stored });
      noticeSuccess(t("notice.saved"), { label: t("action.undo"), run: takeBack });
      saved(stored, shown);
    },
    onError: (error) => {
      if (!isOvertaken(error) && wrongOf(error, "").length === 0) failed(error);
    },
    // Whatever is on a screen was masked by the old rules.
    onSettled: refresh,
  });

  const wrong = wrongOf(save.error, save.variables?.sent ?? "");

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (disabledReason === null) save.mutate({ sent: text, shown: text, over: base });
  }

  return (
    <form noValidate onSubmit={submit} className="grid gap-3 p-4">
      <p id={hintId} className="text-muted">
        {t("masking.hint")} {base.isDefault && t("masking.isDefault")}
      </p>
      <Labelled label={t("masking.fields")}>
        <textarea
          dir="ltr"
          rows={8}
          value={text}
          readOnly={disabledReason !== null}
          aria-invalid={wrong.length > 0}
          aria-describedby={`${hintId} ${hintId}-wrong`}
          onChange={(event) => setDraft(event.target.value)}
          className={`${control} py-2 font-mono text-xs`}
        />
      </Labelled>
      <div id={`${hintId}-wrong`} role="alert" className="text-xs text-bad empty:hidden">
        {wrong.map(({ field, message }, index) => (
          <p key={index} className="break-words">
            <bdi dir="ltr">{field}</bdi>: {message}
          </p>
        ))}
      </div>
      <DraftWatch {...watch} />
      <Button type="submit" look="primary" className="justify-self-start" isBusy={save.isPending} disabledReason={disabledReason}>
        {t("action.save")}
      </Button>
    </form>
  );
}
