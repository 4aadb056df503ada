import type { MaskingRules, Routes } from "@crossdock/contract";
import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useId, type FormEvent } from "react";
import { api } from "../api.ts";
import { DraftWatch, isOvertaken, useDraft } from "../draft.tsx";
import { useText } from "../i18n/i18n.tsx";
import { useRoleReason } from "../role-texts.ts";
import { Button } from "../ui/button.tsx";
import { control, Labelled } from "../ui/field.tsx";
import { noticeError, noticeSuccess } from "../ui/notice.tsx";
import { Card } from "../ui/page.tsx";
import { ErrorState, Loading } from "../ui/states.tsx";

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

const draftOf = ({ fields }: MaskingRules) => fields.join("\n");

function MaskingForm({ tenantCode, rules }: { tenantCode: string; rules: MaskingRules }) {
  const t = useText();
  const client = useQueryClient();
  const hintId = useId();
  const disabledReason = useRoleReason("configure");
  const { base, draft: text, setDraft, saved, ...watch } = useDraft(rules, draftOf);
  const save = useMutation({
    mutationFn: (sent: string) => {
      const fields = sent.split("\n").map((line) => line.trim());
      return api<Routes["updateMaskingRules"]>("PUT", path, {
        params: { tenantCode },
        body: { fields: fields.filter((field) => field !== "") },
        ifVersion: base.version,
      });
    },
    onSuccess: (stored, sent) => {
      noticeSuccess(t("notice.saved"));
      saved(stored, sent);
    },
    onError: (error) => {
      if (!isOvertaken(error)) noticeError(error.message);
    },
    // Whatever is on a screen was masked by the old rules.
    onSettled: () => client.invalidateQueries({ queryKey: ["tenant", tenantCode] }),
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (disabledReason === null) save.mutate(text);
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
          aria-describedby={hintId}
          onChange={(event) => setDraft(event.target.value)}
          className={`${control} py-2 font-mono text-xs`}
        />
      </Labelled>
      <DraftWatch {...watch} />
      <Button type="submit" look="primary" className="justify-self-start" isBusy={save.isPending} disabledReason={disabledReason}>
        {t("action.save")}
      </Button>
    </form>
  );
}
