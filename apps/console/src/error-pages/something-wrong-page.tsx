import type { ErrorComponentProps } from "@tanstack/react-router";
import { CloudAlert } from "lucide-react";
import { ApiError } from "../api.ts";
import { useText } from "../i18n/i18n.tsx";
import { Button } from "../ui/button.tsx";

/** What stands in place of a screen that failed to render. The request id leads to the server's log. */
export function SomethingWrongPage({ error }: Pick<ErrorComponentProps, "error">) {
  const t = useText();
  const requestId = error instanceof ApiError ? error.problem.requestId : "";
  return (
    <div role="alert" className="grid min-h-[60dvh] place-content-center justify-items-center gap-2 p-6 text-center">
      <CloudAlert aria-hidden className="mb-2 size-16 text-bad" strokeWidth={1.2} />
      <h1 className="text-2xl font-semibold">{t("error.boundary.title")}</h1>
      <p className="text-muted">{t("error.boundary.text")}</p>
      <p className="text-muted">{t("error.boundary.hint")}</p>
      {requestId && (
        <p className="mt-2 text-muted">
          {t("error.requestId")} <code className="font-mono text-ink select-all">{requestId}</code>
        </p>
      )}
      <Button look="primary" className="mt-4" onClick={() => location.reload()}>
        {t("action.refresh")}
      </Button>
    </div>
  );
}
