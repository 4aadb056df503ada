import { useEffect, useState, type FormEvent, type ReactNode } from "react";
import { emailMistake } from "../email.ts";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import { readProblem } from "../api/problem.ts";
import { signIn } from "../session/session.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";

type Mistakes = { email?: TextKey; password?: TextKey };

/** `knownEmail`: of the one person who may sign in here. `children` stand between the password and the button. */
export function SignInForm({ knownEmail, children }: { knownEmail?: string; children?: ReactNode }) {
  const t = useText();
  const [mistakes, setMistakes] = useState<Mistakes>({});
  const [refusal, setRefusal] = useState<TextKey | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const isKnown = knownEmail !== undefined;
  useEffect(() => document.getElementById(isKnown ? "password" : "email")?.focus(), [isKnown]);

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
        defaultValue={knownEmail}
        readOnly={isKnown}
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
      {children}
      <Button type="submit" look="primary" isBusy={isBusy} className="mt-1 min-h-11">
        {t("signIn.submit")}
      </Button>
    </form>
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
