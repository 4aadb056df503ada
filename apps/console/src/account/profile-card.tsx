import type { CurrentUser } from "@crossdock/contract";
import { useMutation } from "@tanstack/react-query";
import { useRef, useState, type FormEvent } from "react";
import { useFailureNotice } from "../api/failure-notice.ts";
import { Avatar, displayName } from "../header/avatar.tsx";
import { useText } from "../i18n/i18n.tsx";
import { languageNames } from "../i18n/language-names.ts";
import { noteUser, useUser } from "../session/session.ts";
import { chooseLanguage, locale, locales } from "../settings.ts";
import { Button } from "../ui/button.tsx";
import { SelectField, TextField } from "../ui/field.tsx";
import { noticeError, noticeSuccess } from "../ui/notice.tsx";
import { Card } from "../ui/page.tsx";
import { readPicture } from "./picture.ts";
import { removeAvatar, setAvatar, updateAccount } from "./queries.ts";

export function ProfileCard() {
  const t = useText();
  const user = useUser();
  const language = locale.use();
  const onError = useFailureNotice();
  const change = useMutation({
    mutationFn: (work: () => Promise<CurrentUser>) => work(),
    onSuccess: (next) => {
      noteUser(next);
      noticeSuccess(t("account.saved"));
    },
    onError,
  });
  if (!user) return null;
  return (
    <Card title={t("account.profile")}>
      <div className="grid gap-5 p-4">
        <Picture user={user} isBusy={change.isPending} onChange={change.mutate} />
        <Name key={user.name} user={user} isBusy={change.isPending} onChange={change.mutate} />
        <SelectField
          label={t("header.language")}
          value={language}
          options={locales.map((one) => ({ value: one, label: languageNames[one] }))}
          onChange={(value) => {
            const chosen = locales.find((one) => one === value) ?? locale.get();
            chooseLanguage(chosen);
            change.mutate(() => updateAccount({ locale: chosen }));
          }}
        />
      </div>
    </Card>
  );
}

type PartProps = { user: CurrentUser; isBusy: boolean; onChange: (work: () => Promise<CurrentUser>) => void };

function Name({ user, isBusy, onChange }: PartProps) {
  const t = useText();
  const [name, setName] = useState(user.name);
  const isChanged = name.trim() !== user.name;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isChanged && name.trim() !== "" && !isBusy) onChange(() => updateAccount({ name }));
  };
  return (
    <form onSubmit={submit} className="flex flex-wrap items-end gap-2">
      <TextField
        id="account-name"
        label={t("users.name")}
        className="min-w-0 flex-1 basis-48"
        value={name}
        maxLength={200}
        autoComplete="name"
        error={name.trim() === "" ? t("validation.nameRequired") : undefined}
        onChange={(event) => setName(event.target.value)}
      />
      <Button type="submit" look="primary" isBusy={isBusy} disabledReason={isChanged ? null : t("account.unchanged")}>
        {t("action.save")}
      </Button>
    </form>
  );
}

function Picture({ user, isBusy, onChange }: PartProps) {
  const t = useText();
  const input = useRef<HTMLInputElement>(null);
  const take = (file: File | undefined) => {
    if (!file) return;
    readPicture(file).then(
      (png) => onChange(() => setAvatar(png)),
      () => noticeError(t("refusal.picture")),
    );
  };
  return (
    <div className="flex flex-wrap items-center gap-4">
      <Avatar name={displayName(user)} photo={user.avatar} className="size-16 text-2xl" />
      <div className="min-w-0 flex-1">
        <p dir="auto" className="truncate font-medium">
          {user.email}
        </p>
        <div className="mt-2 flex flex-wrap gap-2">
          <input
            ref={input}
            type="file"
            accept="image/png,image/jpeg,image/webp"
            aria-label={t("account.picture")}
            className="sr-only"
            tabIndex={-1}
            onChange={(event) => {
              take(event.target.files?.[0]);
              event.target.value = "";
            }}
          />
          <Button isBusy={isBusy} onClick={() => input.current?.click()}>
            {t("account.picture")}
          </Button>
          {user.avatar !== null && (
            <Button look="plain" isBusy={isBusy} onClick={() => onChange(removeAvatar)}>
              {t("account.removePicture")}
            </Button>
          )}
        </div>
      </div>
    </div>
  );
}
