import type { ApiKeyScope } from "@crossdock/contract";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { useText } from "../i18n/i18n.tsx";
import { SecretOnce } from "../secret-once.tsx";
import { Checkbox } from "../ui/choice.tsx";
import { TextField } from "../ui/field.tsx";
import { FormFooter } from "../ui/form-footer.tsx";
import { Modal } from "../ui/modal.tsx";
import { MomentInput } from "../ui/time-range-field.tsx";
import { apiKeyScopes, apiKeysQuery, createApiKey } from "./queries.ts";
import { scopeTexts } from "./scope-texts.ts";

/** Makes a key and shows it, once. */
export default function ApiKeyDialog({ tenantCode, onClose }: { tenantCode: string; onClose: () => void }) {
  const t = useText();
  const client = useQueryClient();
  const [name, setName] = useState("");
  const [until, setUntil] = useState("");
  const [scopes, setScopes] = useState<ApiKeyScope[]>(["gateway"]);
  const create = useMutation({
    // The whole last day, in the operator's zone.
    mutationFn: () =>
      createApiKey(tenantCode, { name, scopes, expiresAt: until === "" ? null : new Date(`${until}T23:59:59.999`).toISOString() }),
    // Also where it failed: it may be there, and its answer was lost.
    onSettled: () => void client.invalidateQueries({ queryKey: apiKeysQuery(tenantCode).queryKey }),
  });
  if (create.data) {
    return (
      <Modal key="made" title={create.data.name} description={t("apiKeys.once")} onClose={onClose}>
        <SecretOnce label={t("apiKeys.key")} text={create.data.key} onClose={onClose} />
      </Modal>
    );
  }
  const block = name.trim() === "" ? t("validation.nameRequired") : scopes.length === 0 ? t("apiKeys.noScope") : null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (block === null && !create.isPending) create.mutate();
  };
  return (
    <Modal title={t("apiKeys.create")} onClose={onClose} isHeld={create.isPending}>
      <form onSubmit={submit} className="mt-4 grid gap-4">
        <TextField id="key-name" label={t("users.name")} value={name} maxLength={200} onChange={(event) => setName(event.target.value)} />
        <fieldset className="grid gap-1.5">
          <legend className="mb-1 text-xs text-muted">{t("apiKeys.scopes")}</legend>
          {apiKeyScopes.map((scope) => (
            <Checkbox
              key={scope}
              label={t(scopeTexts[scope])}
              isOn={scopes.includes(scope)}
              onChange={(isOn) => setScopes(isOn ? [...scopes, scope] : scopes.filter((one) => one !== scope))}
            />
          ))}
        </fieldset>
        <div className="grid gap-1">
          <TextField
            id="key-until"
            as={MomentInput}
            type="date"
            label={t("apiKeys.expires")}
            value={until}
            aria-describedby="key-until-hint"
            onChange={(event) => setUntil(event.target.value)}
          />
          {until === "" && (
            <p id="key-until-hint" className="text-xs text-muted">
              {t("apiKeys.endless")}
            </p>
          )}
        </div>
        <FormFooter action={t("apiKeys.create")} isBusy={create.isPending} disabledReason={block} refusal={create.error?.message} />
      </form>
    </Modal>
  );
}
