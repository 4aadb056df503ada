import { Link } from "@tanstack/react-router";
import { useText } from "../i18n/i18n.tsx";
import { EntranceFrame } from "./entrance-frame.tsx";
import { useSignInOptions } from "./options.ts";
import { ProviderButtons } from "./provider-buttons.tsx";
import { SignInForm } from "./sign-in-form.tsx";

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
      {providers.length > 0 && <ProviderButtons providers={providers} />}
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
