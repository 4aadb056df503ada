import type { ReactNode } from "react";
import { useFailureText } from "../api/failure-notice.ts";
import { useText } from "../i18n/i18n.tsx";
import { ApiError } from "../api/problem.ts";

/** Why an operation was refused. */
export function Refusal({ error }: { error: Error | null }) {
  const t = useText();
  const textOf = useFailureText();
  if (!error) return null;
  const { code = "", title = "", errors = [] } = error instanceof ApiError ? error.problem : {};
  const said = errors.length > 0 ? title : textOf(error);
  const text = code === "not-found" ? t("toolbox.notFound") : said;
  return (
    <div role="alert" className="rounded-card bg-bad-soft p-3 break-words text-bad">
      <bdi>{text}</bdi>
      {errors.map(({ path, message }) => (
        <p key={`${path} ${message}`} dir="ltr" className="text-xs">
          {path.replace(/^body\//, "")}: {message}
        </p>
      ))}
    </div>
  );
}

export function Said({ tone = "ok", children }: { tone?: "ok" | "info" | "warn"; children: ReactNode }) {
  const grounds = { ok: "bg-ok-soft text-ok", info: "bg-info-soft text-info", warn: "bg-warn-soft text-warn" };
  return (
    <div role="status" className={`rounded-card p-3 break-words ${grounds[tone]}`}>
      {children}
    </div>
  );
}
