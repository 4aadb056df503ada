import { Link, useLocation, useNavigate } from "@tanstack/react-router";
import type { CurrentUser } from "@crossdock/contract";
import { useEffect, useState, type FormEvent, type ReactNode } from "react";
import { onceReachable, request } from "../api/connection.ts";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import { Logo } from "../layouts/logo.tsx";
import { newPasswordMistakes } from "../session/new-password.ts";
import { readProblem } from "../api/problem.ts";
import { startPath } from "../routes.ts";
import { session, signIn, signOut, useUser } from "../session/session.ts";
import { followLanguage } from "../settings.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import "../screens.css";

/** The secret goes in the body, which no log keeps. */
function send(url: string, body: { token: string; name?: string; password?: string }): Promise<Response> {
  return request(url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
}

type Invited = { email: string; name: string; locale: string | null };

/** Whom the link is for; null when that can't be told now. */
async function readInvitation(token: string): Promise<Invited | "over" | null> {
  const response = await send("/api/v1/invitation/person", { token });
  if (response.ok) return response.json();
  return response.status === 404 || response.status === 400 ? "over" : null;
}

const fields = ["name", "password", "retype"] as const;
type Field = (typeof fields)[number];

/** Where an invitation's link leads: a name and a password, and one is signed in. The secret stands behind the address's #; another one there is another invitation. */
export function InvitationPage() {
  const token = useLocation({ select: ({ hash }) => hash });
  return <Invitation key={token} token={token} />;
}

function Invitation({ token }: { token: string }) {
  const t = useText();
  const navigate = useNavigate();
  const [typed, setTyped] = useState<Record<Field, string>>({ name: "", password: "", retype: "" });
  const [mistakes, setMistakes] = useState<Partial<Record<Field, TextKey | null>>>({});
  const [refusal, setRefusal] = useState<TextKey | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const [invited, setInvited] = useState<Invited | null>(null);
  const user = useUser();
  useEffect(() => {
    const stop = new AbortController();
    void onceReachable(() => readInvitation(token), stop.signal).then((person) => {
      // Who is signed in has most likely followed the link before.
      if ((person === "over" || person === null) && session.user()) return navigate({ to: startPath, replace: true });
      if (person === "over") return setRefusal("invitation.over");
      if (person === null) return undefined;
      setInvited(person);
      return setTyped((before) => (before.name === "" ? { ...before, name: person.name } : before));
    });
    return () => stop.abort();
  }, [token, navigate]);
  useEffect(() => {
    if (invited && !user) followLanguage(invited.locale);
  }, [invited, user]);

  async function accept(): Promise<TextKey | null> {
    const { name, password } = typed;
    const response = await send("/api/v1/invitation", { token, name, password });
    if (!response.ok) {
      const { code } = await readProblem(response);
      if (code === "password-common") return "validation.passwordCommon";
      return code === "not-found" ? "invitation.over" : "error.generic";
    }
    const { email } = (await response.json()) as { email: string };
    await signIn({ email, password, remember: false });
    await navigate({ to: "/tenant-list", replace: true });
    return null;
  }

  function submit(event: FormEvent): void {
    event.preventDefault();
    const found = {
      name: typed.name.trim() === "" ? ("validation.nameRequired" as const) : null,
      ...newPasswordMistakes(typed.password, typed.retype),
    };
    const wrong = fields.find((field) => found[field] !== null);
    setMistakes(found);
    setRefusal(null);
    if (wrong !== undefined) document.getElementById(`invitation-${wrong}`)?.focus();
    if (wrong !== undefined || isBusy) return;
    setIsBusy(true);
    void accept()
      .catch(() => "error.offline" as const)
      .then((text) => {
        setRefusal(text);
        setIsBusy(false);
      });
  }

  const labels = { name: t("users.name"), password: t("account.newPassword"), retype: t("account.repeatPassword") };
  const errorOf = (field: Field): string | undefined => {
    const mistake = mistakes[field];
    return mistake ? t(mistake) : undefined;
  };
  const isOver = refusal === "invitation.over";
  if (user && !isBusy && !isOver) return invited && <Occupied by={user} email={invited.email} />;
  return (
    <Frame>
      {!isOver && <p className="text-muted">{t("invitation.hint")}</p>}
      <p role="alert" className="my-4 rounded-card bg-bad-soft px-3 py-2 text-bad empty:hidden">
        {refusal && t(refusal)}
      </p>
      {isOver ? (
        // Who has used it is looking for the sign-in; nobody else has anything to do here.
        <Link to="/signin" className="text-primary-ink underline">
          {t("signIn.title")}
        </Link>
      ) : (
        <form noValidate onSubmit={submit} className="mt-5 grid gap-4">
          {invited && (
            <TextField
              id="invitation-email"
              type="email"
              dir="ltr"
              label={t("signIn.email")}
              autoComplete="username"
              value={invited.email}
              readOnly
            />
          )}
          {fields.map((field) => (
            <div key={field}>
              <TextField
                id={`invitation-${field}`}
                type={field === "name" ? "text" : "password"}
                label={labels[field]}
                autoComplete={field === "name" ? "name" : "new-password"}
                {...(field === "name" && { maxLength: 200 })}
                value={typed[field]}
                error={errorOf(field)}
                onChange={(event) => setTyped({ ...typed, [field]: event.target.value })}
              />
              {field === "password" && <p className="mt-1 text-xs text-muted">{t("signUp.passwordHint")}</p>}
            </div>
          ))}
          <Button type="submit" look="primary" isBusy={isBusy} className="mt-1 min-h-11">
            {t("invitation.submit")}
          </Button>
        </form>
      )}
    </Frame>
  );
}

function Frame({ children }: { children: ReactNode }) {
  const t = useText();
  return (
    <div className="grid min-h-dvh p-4">
      <main className="m-auto w-full max-w-sm rounded-card bg-paper p-6 shadow-[0_10px_40px_#0000001f] sm:p-8">
        <Logo />
        <h1 className="mt-6 mb-1 text-xl font-semibold">{t("invitation.title")}</h1>
        {children}
      </main>
    </div>
  );
}

/** In a browser where somebody is signed in: following the link doesn't end what they do. */
function Occupied({ by, email }: { by: CurrentUser; email: string }) {
  const t = useText();
  const [isLeaving, setIsLeaving] = useState(false);
  const leave = (): void => {
    setIsLeaving(true);
    void signOut();
  };
  return (
    <Frame>
      <p className="my-4">{t("invitation.occupied", { by: by.email, email })}</p>
      <div className="flex flex-wrap items-center gap-4">
        <Button isBusy={isLeaving} onClick={leave} className="min-h-11">
          {t("user.logout")}
        </Button>
        <Link to={startPath} className="text-primary-ink underline">
          {t("invitation.stay")}
        </Link>
      </div>
    </Frame>
  );
}
