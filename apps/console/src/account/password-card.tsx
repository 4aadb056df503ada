import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import { passwordMistake } from "../session/new-password.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { noticeSuccess } from "../ui/notice.tsx";
import { Card } from "../ui/page.tsx";
import { changePassword, sessionsQuery } from "./queries.ts";

type Field = "present" | "password" | "repeated";
const empty: Record<Field, string> = { present: "", password: "", repeated: "" };

export function PasswordCard() {
  const t = useText();
  const client = useQueryClient();
  const [typed, setTyped] = useState(empty);
  const [mistake, setMistake] = useState<{ field: Field; text: TextKey } | null>(null);
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
    const { present, password, repeated } = typed;
    const found =
      present === "" ? { field: "present" as const, text: "validation.passwordRequired" as const } : passwordMistake(password, repeated);
    setMistake(found);
    if (change.isPending) return;
    change.reset();
    if (found === null) change.mutate({ present, next: password });
  }

  const errorOf = (field: Field): string | undefined => {
    if (mistake?.field === field) return t(mistake.text);
    return field === "present" ? change.error?.message : undefined;
  };
  const labels = { present: t("account.presentPassword"), password: t("account.newPassword"), repeated: t("account.repeatPassword") };
  return (
    <Card title={t("account.password")}>
      <form noValidate onSubmit={submit} className="grid gap-4 p-4">
        {(["present", "password", "repeated"] as const).map((field) => (
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
