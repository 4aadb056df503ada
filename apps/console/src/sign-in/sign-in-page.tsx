import { useState, type FormEvent } from "react";
import { readProblem } from "../api.ts";
import { emailMistake } from "../email.ts";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import { languageNames } from "../i18n/language-names.ts";
import { Logo } from "../layouts/logo.tsx";
import { signIn } from "../session.ts";
import { chooseLanguage, locale, locales } from "../settings.ts";
import { Button } from "../ui/button.tsx";
import { SelectField, TextField } from "../ui/field.tsx";

type Mistakes = { email?: TextKey; password?: TextKey };

export function SignInPage() {
  const t = useText();
  const [mistakes, setMistakes] = useState<Mistakes>({});
  const [refusal, setRefusal] = useState<TextKey | null>(null);
  const [isBusy, setIsBusy] = useState(false);

  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const [email, password] = [textOf(form, "email").trim(), textOf(form, "password")];
    const found = findMistakes(email, password);
    setMistakes(found);
    setRefusal(null);
    if (found.email || found.password) {
      document.getElementById(found.email ? "email" : "password")?.focus();
      return;
    }
    setIsBusy(true);
    const refused = await signIn({ email, password, remember: form.has("remember") }).then(refusalOf, () => "error.offline" as const);
    // Once signed in, the router's guards lead on from here.
    if (refused === null) return;
    setRefusal(refused);
    setIsBusy(false);
  }

  return (
    <div className="grid min-h-dvh grid-rows-[1fr_auto] bg-[radial-gradient(circle_at_20%_10%,var(--primary-soft),transparent_60%)] p-4">
      <main className="m-auto w-full max-w-sm rounded-card bg-paper p-6 shadow-[0_10px_40px_#0000001f] sm:p-8">
        <Logo />
        <h1 className="mt-6 mb-5 text-xl font-semibold">{t("signIn.title")}</h1>
        <form noValidate onSubmit={(event) => void submit(event)} className="grid gap-4">
          {refusal && (
            <p role="alert" className="rounded-card bg-bad-soft px-3 py-2 text-bad">
              {t(refusal)}
            </p>
          )}
          <TextField
            id="email"
            name="email"
            type="email"
            autoComplete="username"
            label={t("signIn.email")}
            error={mistakes.email && t(mistakes.email)}
          />
          <TextField
            id="password"
            name="password"
            type="password"
            autoComplete="current-password"
            label={t("signIn.password")}
            error={mistakes.password && t(mistakes.password)}
          />
          <label className="flex items-center gap-2">
            <input type="checkbox" name="remember" className="size-4 accent-primary-ink" />
            {t("signIn.remember")}
          </label>
          <Button type="submit" look="primary" isBusy={isBusy} className="mt-1 min-h-11">
            {t("signIn.submit")}
          </Button>
        </form>
      </main>
      <LanguageField />
    </div>
  );
}

/** The browser's own list, as the switcher of the header weighs more than all else on this page. */
function LanguageField() {
  const t = useText();
  return (
    <SelectField
      label={t("header.language")}
      value={locale.use()}
      options={locales.map((one) => ({ value: one, label: languageNames[one] }))}
      onChange={(value) => chooseLanguage(locales.find((one) => one === value) ?? locale.get())}
      className="w-40 justify-self-center"
    />
  );
}

function textOf(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === "string" ? value : "";
}

function findMistakes(email: string, password: string): Mistakes {
  const mistakes: Mistakes = {};
  const wrongEmail = emailMistake(email);
  if (wrongEmail) mistakes.email = wrongEmail;
  if (password === "") mistakes.password = "validation.passwordRequired";
  return mistakes;
}

/** Which text tells why the sign-in was refused; null when it was not. */
async function refusalOf(response: Response | null): Promise<TextKey | null> {
  if (response === null) return null;
  const { code } = await readProblem(response);
  if (code === "credentials-invalid") return "signIn.wrongCredentials";
  return code === "too-many-requests" ? "signIn.tooMany" : "error.generic";
}
