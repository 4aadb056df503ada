import { Link, useNavigate } from "@tanstack/react-router";
import { emailMistake } from "../../email.ts";
import { useText, type TextKey } from "../../i18n/i18n.tsx";
import { locale } from "../../settings.ts";
import { TextField } from "../../ui/field.tsx";
import { EntranceFrame } from "../entrance-frame.tsx";
import { useSignInOptions } from "../options.ts";
import { AccountForm, send, type Typed } from "./account-form.tsx";
import { rememberAttempt } from "./attempt.ts";

export function ForgetPasswordPage() {
  const t = useText();
  const navigate = useNavigate();
  const { isMailed } = useSignInOptions();

  async function ask(typed: Typed): Promise<TextKey | null> {
    const email = typed("email").trim();
    const sent = await send("password-reset", { email, locale: locale.get() });
    if (sent.refusal !== null) return sent.refusal;
    rememberAttempt({ purpose: "password-reset", attemptId: sent.answer.attemptId, email });
    await navigate({ to: "/reset-password" });
    return null;
  }

  return (
    <EntranceFrame title={t("forgetPassword.title")}>
      <p className="mb-4 text-muted">{t(isMailed ? "forgetPassword.hint" : "forgetPassword.noMail")}</p>
      <AccountForm
        submitLabel={t(isMailed ? "forgetPassword.submit" : "forgetPassword.make")}
        check={(typed) => ({ email: emailMistake(typed("email").trim()) })}
        send={ask}
      >
        {(errorOf) => (
          <TextField id="email" name="email" type="email" autoComplete="username" label={t("signIn.email")} error={errorOf("email")} />
        )}
      </AccountForm>
      <p className="mt-4 text-center">
        <Link to="/signin" className="text-primary-ink underline">
          {t("forgetPassword.back")}
        </Link>
      </p>
    </EntranceFrame>
  );
}
