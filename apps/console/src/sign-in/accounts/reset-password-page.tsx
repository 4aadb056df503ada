import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useText, type TextKey } from "../../i18n/i18n.tsx";
import { newPasswordMistakes } from "../../session/new-password.ts";
import { EntranceFrame } from "../entrance-frame.tsx";
import { useSignInOptions } from "../options.ts";
import { AccountForm, send, type Typed } from "./account-form.tsx";
import { attemptFor, forgetAttempt } from "./attempt.ts";
import { NewPasswordFields } from "./new-password-fields.tsx";
import { PinField } from "./pin-field.tsx";
import { pinMistake, pinOf } from "./pin.ts";

export function ResetPasswordPage() {
  const t = useText();
  const navigate = useNavigate();
  const { isMailed } = useSignInOptions();
  const [attempt] = useState(() => attemptFor("password-reset"));

  async function reset(typed: Typed): Promise<TextKey | null> {
    if (!attempt) return "resetPassword.codeExpired";
    const body = { attemptId: attempt.attemptId, code: pinOf(typed("pin")), password: typed("password") };
    const sent = await send("password-reset/confirmation", body);
    if (sent.refusal !== null) return sent.code === "code-expired" ? "resetPassword.codeExpired" : sent.refusal;
    forgetAttempt();
    await navigate({ to: "/signin", state: { message: "resetPassword.done" } });
    return null;
  }

  return (
    <EntranceFrame title={t("resetPassword.title")}>
      <p className="mb-4 text-muted">
        {attempt ? t(isMailed ? "resetPassword.hint" : "resetPassword.noMail", { email: attempt.email }) : t("resetPassword.otherTab")}
      </p>
      {attempt && (
        <AccountForm
          submitLabel={t("resetPassword.submit")}
          check={(typed) => ({ pin: pinMistake(pinOf(typed("pin"))), ...newPasswordMistakes(typed("password"), typed("retype")) })}
          send={reset}
        >
          {(errorOf) => (
            <>
              <PinField error={errorOf("pin")} />
              <NewPasswordFields label={t("resetPassword.newPassword")} errorOf={errorOf} />
            </>
          )}
        </AccountForm>
      )}
      <p className="mt-4 text-center">
        <Link to="/forget-password" className="text-primary-ink underline">
          {t("resetPassword.again")}
        </Link>
      </p>
    </EntranceFrame>
  );
}
