import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useText, type TextKey } from "../../i18n/i18n.tsx";
import { EntranceFrame } from "../entrance-frame.tsx";
import { pinMistake, pinOf } from "./pin.ts";
import { AccountForm, send, type Typed } from "./account-form.tsx";
import { attemptFor, forgetAttempt } from "./attempt.ts";
import { PinField } from "./pin-field.tsx";

export function ConfirmSignUpPage() {
  const t = useText();
  const navigate = useNavigate();
  const [attempt] = useState(() => attemptFor("sign-up"));

  async function confirm(typed: Typed): Promise<TextKey | null> {
    if (!attempt) return "signUp.codeExpired";
    const sent = await send("sign-up/confirmation", { attemptId: attempt.attemptId, code: pinOf(typed("pin")) });
    if (sent.refusal !== null) return sent.code === "code-expired" ? "signUp.codeExpired" : sent.refusal;
    forgetAttempt();
    await navigate({ to: "/signin", state: { message: "signUp.complete" } });
    return null;
  }

  return (
    <EntranceFrame title={t("confirmSignup.title")}>
      <p className="mb-4 text-muted">{attempt ? t("confirmSignup.hint", { email: attempt.email }) : t("confirmSignup.otherTab")}</p>
      {attempt && (
        <AccountForm submitLabel={t("confirmSignup.submit")} check={(typed) => ({ pin: pinMistake(pinOf(typed("pin"))) })} send={confirm}>
          {(errorOf) => <PinField error={errorOf("pin")} />}
        </AccountForm>
      )}
      <p className="mt-4 text-center">
        <Link to="/signup" className="text-primary-ink underline">
          {t("confirmSignup.again")}
        </Link>
      </p>
    </EntranceFrame>
  );
}
