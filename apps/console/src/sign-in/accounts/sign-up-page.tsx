import { Link, useNavigate } from "@tanstack/react-router";
import { emailMistake } from "../../email.ts";
import { useText, type TextKey } from "../../i18n/i18n.tsx";
import { newPasswordMistakes } from "../../session/new-password.ts";
import { locale } from "../../settings.ts";
import { TextField } from "../../ui/field.tsx";
import { EntranceFrame } from "../entrance-frame.tsx";
import { AccountForm, send, type Mistakes, type Typed } from "./account-form.tsx";
import { rememberAttempt } from "./attempt.ts";
import { NewPasswordFields } from "./new-password-fields.tsx";

export function SignUpPage() {
  const t = useText();
  const navigate = useNavigate();

  async function signUp(typed: Typed): Promise<TextKey | null> {
    const [name, email] = [typed("name").trim(), typed("email").trim()];
    const sent = await send("sign-up", { name, email, password: typed("password"), locale: locale.get() });
    if (sent.refusal !== null) return sent.refusal;
    rememberAttempt({ purpose: "sign-up", attemptId: sent.answer.attemptId, email });
    const message = sent.answer.outcome === "started" ? "signUp.started" : "signUp.codeSent";
    await navigate({ to: "/confirm-signup", state: { message } });
    return null;
  }

  return (
    <EntranceFrame title={t("signUp.title")}>
      <AccountForm submitLabel={t("signUp.submit")} check={findMistakes} send={signUp}>
        {(errorOf) => (
          <>
            <TextField id="name" name="name" maxLength={200} autoComplete="name" label={t("signUp.name")} error={errorOf("name")} />
            <TextField id="email" name="email" type="email" autoComplete="username" label={t("signIn.email")} error={errorOf("email")} />
            <NewPasswordFields label={t("signIn.password")} errorOf={errorOf} />
            <div>
              <label className="flex items-start gap-2">
                <input
                  type="checkbox"
                  name="terms"
                  aria-invalid={errorOf("terms") !== undefined}
                  aria-describedby="terms-error"
                  className="mt-0.5 size-4 accent-primary-ink"
                />
                <span>{t("signUp.terms")}</span>
              </label>
              <p id="terms-error" className="text-xs text-bad">
                {errorOf("terms")}
              </p>
              {/* Beside the form, which keeps what was typed. */}
              <a href="/terms" target="_blank" rel="noreferrer" className="text-primary-ink underline">
                {t("signUp.readTerms")}
              </a>
            </div>
          </>
        )}
      </AccountForm>
      <p className="mt-4 text-center">
        <Link to="/signin" className="text-primary-ink underline">
          {t("signUp.haveAccount")}
        </Link>
      </p>
    </EntranceFrame>
  );
}

function findMistakes(typed: Typed): Mistakes {
  return {
    name: typed("name").trim() === "" ? "validation.nameRequired" : null,
    email: emailMistake(typed("email").trim()),
    ...newPasswordMistakes(typed("password"), typed("retype")),
    terms: typed("terms") === "" ? "validation.termsRequired" : null,
  };
}
