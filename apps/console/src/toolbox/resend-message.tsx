import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import { useIsPermitted } from "../session.ts";
import { TextField } from "../ui/field.tsx";
import { HeldMessage, Refusal, Said } from "./answers.tsx";
import { useOperation, type ResultOf } from "./operations.ts";
import { DryRunFirst, ToolboxForm } from "./toolbox-form.tsx";

type Way = ResultOf<"resent">["way"];

export const would: Record<Way, TextKey> = {
  leased: "toolbox.wouldLease",
  requeued: "toolbox.wouldRequeue",
  retried: "toolbox.wouldRetry",
  restored: "toolbox.wouldRestore",
  copied: "toolbox.wouldCopy",
};
export const has: Record<Way, TextKey> = {
  leased: "toolbox.hasLeased",
  requeued: "toolbox.hasRequeued",
  retried: "toolbox.hasRetried",
  restored: "toolbox.hasRestored",
  copied: "toolbox.hasCopied",
};

/** Sends one message once more, in the way that its state asks for; first only told, then done. */
export function ResendMessage({ tenantCode, messageId: given }: { tenantCode: string; messageId: string }) {
  const t = useText();
  const [messageId, setMessageId] = useState(given);
  const resend = useOperation(tenantCode, "resent");
  const permission = useIsPermitted("operate") ? null : t("role.operatorOnly");
  const missing = permission ?? (/^\d{1,18}$/.test(messageId.trim()) ? null : t("toolbox.messageFirst"));
  const ask = (isDryRun: boolean) => missing === null && resend.mutate({ operation: "resend", messageId: messageId.trim(), isDryRun });
  const isTrial = resend.variables?.operation === "resend" && resend.variables.isDryRun === true;
  return (
    <ToolboxForm onSubmit={() => ask(true)}>
      <TextField
        id="toolbox-message"
        label={t("toolbox.messageId")}
        dir="ltr"
        inputMode="numeric"
        maxLength={18}
        value={messageId}
        onChange={(event) => {
          setMessageId(event.target.value);
          resend.reset();
        }}
      />
      <DryRunFirst action={t("toolbox.resendNow")} isBusy={resend.isPending} disabledReason={missing} onRun={() => ask(false)} />
      <Refusal error={resend.error} />
      {resend.data && (
        <Said tone={isTrial ? "info" : "ok"}>
          {t((isTrial ? would : has)[resend.data.way])}{" "}
          <Link to="/queue/details/$messageId" params={{ messageId: resend.data.messageId }} className="underline">
            {resend.data.messageId}
          </Link>
        </Said>
      )}
      {resend.data?.message && <HeldMessage tenantCode={tenantCode} message={resend.data.message} lease={resend.data.lease} />}
    </ToolboxForm>
  );
}
