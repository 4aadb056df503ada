import type { Routes } from "@crossdock/contract";
import { useMutation } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { api } from "../api/api.ts";
import { emailMistake } from "../email.ts";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import { ApiError } from "../api/problem.ts";
import { locale } from "../settings.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { ErrorPage } from "./error-page.tsx";
import { ComingSoonPicture } from "./pictures.tsx";

export function ComingSoonPage() {
  const t = useText();
  const [mistake, setMistake] = useState<TextKey | null>(null);
  const notify = useMutation({
    mutationFn: (email: string) => api<Routes["notifyMe"]>("POST", "/coming-soon/addresses", { body: { email, locale: locale.get() } }),
    onError: (error) => setMistake(refusalOf(error)),
  });

  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    const typed = new FormData(event.currentTarget).get("email");
    const email = typeof typed === "string" ? typed.trim() : "";
    const found = emailMistake(email);
    setMistake(found);
    if (found) document.getElementById("notify-email")?.focus();
    else notify.mutate(email);
  }

  return (
    <ErrorPage picture={<ComingSoonPicture />} heading={t("error.comingSoon.title")}>
      <p className="max-w-md text-muted">{t("error.comingSoon.text")}</p>
      <div role="status">{notify.isSuccess && <p className="mt-2 font-medium text-ok">{t("error.comingSoon.thanks")}</p>}</div>
      {!notify.isSuccess && (
        <form noValidate onSubmit={submit} className="flex w-full max-w-md flex-wrap items-start gap-2 text-start">
          <TextField
            id="notify-email"
            name="email"
            type="email"
            autoComplete="email"
            label={t("signIn.email")}
            error={mistake ? t(mistake) : undefined}
            className="min-w-48 flex-1"
          />
          <Button type="submit" look="primary" isBusy={notify.isPending} className="mt-5">
            {t("error.comingSoon.notify")}
          </Button>
        </form>
      )}
    </ErrorPage>
  );
}

function refusalOf(error: Error): TextKey {
  if (!(error instanceof ApiError)) return "error.generic";
  if (error.problem.code === "validation-failed") return "validation.emailFormat";
  return error.problem.code === "too-many-requests" ? "signIn.tooMany" : "error.generic";
}
