import { Link } from "@tanstack/react-router";
import { Suspense } from "react";
import { useText } from "../i18n/i18n.tsx";
import { firstPart } from "../lazy-screen.ts";
import { EntranceFrame } from "./entrance-frame.tsx";
import { useSignInOptions } from "./options.ts";
import { SignInForm } from "./sign-in-form.tsx";

const ProviderButtons = firstPart(() => import("./provider-buttons.tsx"));

export function SignInPage() {
  const t = useText();
  const { isSignUpOpen, providers } = useSignInOptions();
  return (
    <EntranceFrame title={t("signIn.title")}>
      <SignInForm>
        <Link to="/forget-password" className="justify-self-start text-primary-ink underline">
          {t("signIn.forgot")}
        </Link>
      </SignInForm>
      <Suspense>{providers.length > 0 && <ProviderButtons providers={providers} />}</Suspense>
      {isSignUpOpen && (
        <p className="mt-4 text-center">
          <Link to="/signup" className="text-primary-ink underline">
            {t("signIn.signUp")}
          </Link>
        </p>
      )}
    </EntranceFrame>
  );
}
