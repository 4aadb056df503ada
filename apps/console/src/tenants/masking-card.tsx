import type { MaskingRules, Routes } from "@crossdock/contract";
import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useId, useState, type FormEvent } from "react";
import { api } from "../api.ts";
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
      {rules && <MaskingForm key={rules.version} tenantCode={tenantCode} rules={rules} />}
      {!rules && (error ? <ErrorState detail={error.message} onRetry={() => void refetch()} /> : <Loading />)}
    </Card>
  );
}

function MaskingForm({ tenantCode, rules }: { tenantCode: string; rules: MaskingRules }) {
  const t = useText();
  const client = useQueryClient();
  const hintId = useId();
  const disabledReason = useRoleReason("configure");
  const [text, setText] = useState(rules.fields.join("\n"));
  const save = useMutation({
    mutationFn: (fields: string[]) => api<Routes["updateMaskingRules"]>("PUT", path, { params: { tenantCode }, body: { fields } }),
    onSuccess: () => {
      noticeSuccess(t("notice.saved"));
      // Whatever is on a screen was masked by the old rules.
      return client.invalidateQueries({ queryKey: ["tenant", tenantCode] });
    },
    onError: (error) => noticeError(error.message),
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    const fields = text.split("\n").map((line) => line.trim());
    if (disabledReason === null) save.mutate(fields.filter((field) => field !== ""));
  }

  return (
    <form noValidate onSubmit={submit} className="grid gap-3 p-4">
      <p id={hintId} className="text-muted">
        {t("masking.hint")} {rules.isDefault && t("masking.isDefault")}
      </p>
      <Labelled label={t("masking.fields")}>
        <textarea
          dir="ltr"
          rows={8}
          value={text}
          readOnly={disabledReason !== null}
          aria-describedby={hintId}
          onChange={(event) => setText(event.target.value)}
          className={`${control} py-2 font-mono text-xs`}
        />
      </Labelled>
      <Button type="submit" look="primary" className="justify-self-start" isBusy={save.isPending} disabledReason={disabledReason}>
        {t("action.save")}
      </Button>
    </form>
  );
}
