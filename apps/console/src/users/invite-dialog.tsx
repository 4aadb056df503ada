import type { Invitation, PersonRole } from "@crossdock/contract";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { emailMistake } from "../email.ts";
import { useText } from "../i18n/i18n.tsx";
import { languageNames } from "../i18n/language-names.ts";
import { personRoles, roleHints, roleTexts } from "../session/role-texts.ts";
import { useActiveTenant } from "../session/workspace.ts";
import { RadioGroup } from "../ui/choice.tsx";
import { SelectField, TextField } from "../ui/field.tsx";
import { FormFooter } from "../ui/form-footer.tsx";
import { Modal } from "../ui/modal.tsx";
import { SecretOnce } from "../secret-once.tsx";
import { locale, locales } from "../settings.ts";
import { GrantsField } from "./grants-field.tsx";
import { inviteUser } from "./queries.ts";

/** Asks whom to invite, and shows the link that the person follows. */
export default function InviteDialog({ onClose }: { onClose: () => void }) {
  const t = useText();
  const client = useQueryClient();
  const active = useActiveTenant();
  const [email, setEmail] = useState("");
  const [name, setName] = useState("");
  const [role, setRole] = useState<PersonRole>("viewer");
  const [tenants, setTenants] = useState(() => (active ? [active.code] : []));
  const [language, setLanguage] = useState(locale.get);
  const [mistake, setMistake] = useState<ReturnType<typeof emailMistake>>(null);
  const invite = useMutation({
    mutationFn: inviteUser,
    // Also where it failed: the answer may have been lost.
    onSettled: () => void client.invalidateQueries({ queryKey: ["users"] }),
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    const found = emailMistake(email.trim());
    setMistake(found);
    if (found === null && !invite.isPending) invite.mutate({ email: email.trim(), name, role, tenants, locale: language });
  }

  if (invite.data) {
    return <InvitedModal answer={invite.data} onClose={onClose} />;
  }
  return (
    <Modal title={t("users.invite")} description={t("users.inviteHint")} onClose={onClose} isHeld={invite.isPending}>
      <form noValidate onSubmit={submit} className="mt-4 grid gap-4">
        <TextField
          id="invite-email"
          type="email"
          label={t("signIn.email")}
          value={email}
          error={mistake ? t(mistake) : undefined}
          onChange={(event) => setEmail(event.target.value)}
        />
        <TextField
          id="invite-name"
          label={t("users.name")}
          value={name}
          maxLength={200}
          onChange={(event) => setName(event.target.value)}
        />
        <RadioGroup
          label={t("users.role")}
          value={role}
          onChange={setRole}
          options={personRoles.map((value) => ({ value, label: t(roleTexts[value]), hint: t(roleHints[value]) }))}
        />
        <SelectField
          label={t("header.language")}
          value={language}
          onChange={(value) => setLanguage(locales.find((one) => one === value) ?? language)}
          options={locales.map((one) => ({ value: one, label: languageNames[one] }))}
        />
        {role !== "admin" && <GrantsField granted={tenants} onChange={setTenants} />}
        <FormFooter action={t("users.invite")} isBusy={invite.isPending} refusal={invite.error?.message} />
      </form>
    </Modal>
  );
}

/** Where the mail with the link is, and the link itself, this once. */
export function InvitedModal({ answer, onClose }: { answer: Invitation; onClose: () => void }) {
  const t = useText();
  // Without a public address the server names the path alone.
  const link = new URL(answer.link, location.origin).href;
  return (
    <Modal
      title={t("users.invited", { email: answer.user.email })}
      description={t(answer.isMailed ? "users.linkMailed" : "users.linkInOutbox")}
      onClose={onClose}
    >
      <SecretOnce label={t("users.link")} text={link} onClose={onClose} />
    </Modal>
  );
}
