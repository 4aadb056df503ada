import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import { newPasswordMistakes } from "../session/new-password.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { noticeSuccess } from "../ui/notice.tsx";
import { Card } from "../ui/page.tsx";
import { changePassword, sessionsQuery } from "./queries.ts";

const fields = ["present", "password", "retype"] as const;
type Field = (typeof fields)[number];
const empty: Record<Field, string> = { present: "", password: "", retype: "" };

export function PasswordCard() {
  const t = useText();
  const client = useQueryClient();
  const [typed, setTyped] = useState(empty);
  const [mistakes, setMistakes] = useState<Partial<Record<Field, TextKey | null>>>({});
  const change = useMutation({
    mutationFn: changePassword,
    onSuccess: () => {
      setTyped(empty);
      noticeSuccess(t("account.passwordChanged"));
      return client.invalidateQueries({ queryKey: sessionsQuery.queryKey });
    },
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    const { present, password, retype } = typed;
    const found = { present: present === "" ? ("validation.passwordRequired" as const) : null, ...newPasswordMistakes(password, retype) };
    const wrong = fields.find((field) => found[field] !== null);
    setMistakes(found);
    if (change.isPending) return;
    change.reset();
    if (wrong === undefined) change.mutate({ present, next: password });
    else document.getElementById(`account-${wrong}`)?.focus();
  }

  const errorOf = (field: Field): string | undefined => {
    const mistake = mistakes[field];
    if (mistake) return t(mistake);
    return field === "present" ? change.error?.message : undefined;
  };
  const labels = { present: t("account.presentPassword"), password: t("account.newPassword"), retype: t("account.repeatPassword") };
  return (
    <Card title={t("account.password")}>
      <form noValidate onSubmit={submit} className="grid gap-4 p-4">
        {fields.map((field) => (
          <TextField
            key={field}
            id={`account-${field}`}
            type="password"
            label={labels[field]}
            autoComplete={field === "present" ? "current-password" : "new-password"}
            value={typed[field]}
            error={errorOf(field)}
            onChange={(event) => setTyped({ ...typed, [field]: event.target.value })}
          />
        ))}
        <div className="flex flex-wrap items-center justify-between gap-2">
          <p className="text-xs text-muted">{t("account.passwordHint")}</p>
          <Button type="submit" look="primary" isBusy={change.isPending}>
            {t("account.changePassword")}
          </Button>
        </div>
      </form>
    </Card>
  );
}
