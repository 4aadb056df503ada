import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useText, type TextKey } from "../../i18n/i18n.tsx";
import { readProblem } from "../../api/problem.ts";
import { signInByProvider } from "../../session/session.ts";
import { EntranceFrame } from "../entrance-frame.tsx";
import "../../screens.css";

/** The answer works once, so it is sent once, however often the screen is rendered. */
let sent: { query: string; refusal: Promise<TextKey | null> } | undefined;

/** Where a provider sends people back to. Once signed in, the router's guards lead on from here. */
export function ReturnPage() {
  const t = useText();
  const [refusal, setRefusal] = useState<TextKey | null>(null);
  useEffect(() => {
    let isCurrent = true;
    const query = location.search.slice(1);
    if (sent?.query !== query) sent = { query, refusal: complete(query) };
    void sent.refusal.then((text) => isCurrent && setRefusal(text));
    return () => {
      isCurrent = false;
    };
  }, []);
  return (
    <EntranceFrame title={t("signIn.title")}>
      {refusal ? (
        <p role="alert" className="rounded-card bg-bad-soft px-3 py-2 text-bad">
          {t(refusal)}
        </p>
      ) : (
        <p role="status" className="animate-pulse text-muted">
          {t("provider.returning")}
        </p>
      )}
      {refusal && (
        <p className="mt-4 text-center">
          <Link to="/signin" className="text-primary-ink underline">
            {t("forgetPassword.back")}
          </Link>
        </p>
      )}
    </EntranceFrame>
  );
}

const refusals: Record<string, TextKey> = { "sign-up-closed": "signUp.closed", "too-many-requests": "signIn.tooMany" };

async function complete(query: string): Promise<TextKey | null> {
  try {
    const refused = await signInByProvider(query);
    return refused && (refusals[(await readProblem(refused)).code] ?? "provider.refused");
  } catch {
    return "error.offline";
  }
}
