import { useState, type FormEvent, type ReactNode } from "react";
import { request } from "../../api/connection.ts";
import { useText, type TextKey } from "../../i18n/i18n.tsx";
import { readProblem } from "../../api/problem.ts";
import { Button } from "../../ui/button.tsx";
import "../../screens.css";

/** What was typed, by the fields' names. */
export type Typed = (field: string) => string;
/** What is wrong, by the field's name; the first one gets the focus. */
export type Mistakes = Record<string, TextKey | null>;

type AccountFormProps = {
  submitLabel: string;
  check: (typed: Typed) => Mistakes;
  /** Sends the form. Answers which text tells why it was refused, or null. */
  send: (typed: Typed) => Promise<TextKey | null>;
  /** `errorOf` a field, as text. */
  children: (errorOf: (field: string) => string | undefined) => ReactNode;
};

/** A form on the way in: checks what was typed, sends it once, and says what was refused. Fields keep what they hold. */
export function AccountForm({ submitLabel, check, send, children }: AccountFormProps) {
  const t = useText();
  const [mistakes, setMistakes] = useState<Mistakes>({});
  const [refusal, setRefusal] = useState<TextKey | null>(null);
  const [isBusy, setIsBusy] = useState(false);

  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    if (isBusy) return;
    const form = event.currentTarget;
    const data = new FormData(form);
    const typed: Typed = (field) => {
      const value = data.get(field);
      return typeof value === "string" ? value : "";
    };
    const found = check(typed);
    setMistakes(found);
    setRefusal(null);
    const [wrong] = Object.entries(found).filter(([, text]) => text !== null);
    if (wrong) {
      form.querySelector<HTMLElement>(`[name="${wrong[0]}"]`)?.focus();
      return;
    }
    setIsBusy(true);
    setRefusal(await send(typed).catch(() => "error.offline" as const));
    setIsBusy(false);
  }

  const errorOf = (field: string): string | undefined => {
    const mistake = mistakes[field];
    return mistake ? t(mistake) : undefined;
  };

  return (
    <form noValidate onSubmit={(event) => void submit(event)} className="grid gap-4">
      {refusal && (
        <p role="alert" className="rounded-card bg-bad-soft px-3 py-2 text-bad">
          {t(refusal)}
        </p>
      )}
      {children(errorOf)}
      <Button type="submit" look="primary" isBusy={isBusy} className="mt-1 min-h-11">
        {submitLabel}
      </Button>
    </form>
  );
}

const refusals: Record<string, TextKey> = {
  "too-many-requests": "signIn.tooMany",
  "already-registered": "signUp.registered",
  "sign-up-closed": "signUp.closed",
  "password-common": "validation.passwordCommon",
  "code-wrong": "validation.pinWrong",
};

type Sent = { refusal: TextKey; code: string } | { refusal: null; answer: { attemptId: string; outcome?: string } };

/** Sends without a token: nobody is signed in here. */
export async function send(path: string, body: object): Promise<Sent> {
  const headers = { "content-type": "application/json" };
  const response = await request(`/api/v1/${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  if (response.ok) return { refusal: null, answer: JSON.parse((await response.text()) || "{}") };
  const { code } = await readProblem(response);
  return { refusal: refusals[code] ?? "error.generic", code };
}
