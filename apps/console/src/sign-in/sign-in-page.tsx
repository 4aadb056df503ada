import { useText } from "../i18n/i18n.tsx";
import { EntranceFrame } from "./entrance-frame.tsx";
import { SignInForm } from "./sign-in-form.tsx";

export function SignInPage() {
  const t = useText();
  return (
    <EntranceFrame title={t("signIn.title")}>
      <SignInForm />
    </EntranceFrame>
  );
}
