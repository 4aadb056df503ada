import { Link } from "@tanstack/react-router";
import { Suspense, useState } from "react";
import { lazyPart } from "../lazy-screen.ts";
import { useText } from "../i18n/i18n.tsx";
import { useRoleReason } from "../session/role-texts.ts";
import { TextField } from "../ui/field.tsx";
import { Loading } from "../ui/states.tsx";
import { Refusal, Said } from "./answers.tsx";
import { useOperation } from "./operations.ts";
import { has, would } from "./texts.ts";
import { DryRunFirst, ToolboxForm } from "./toolbox-form.tsx";

const HeldMessage = lazyPart(() => import("./held-message.tsx"));

/** Sends one message once more, in the way that its state asks for; first only told, then done. */
export default function ResendMessage({ tenantCode, messageId: given }: { tenantCode: string; messageId: string }) {
  const t = useText();
  const [messageId, setMessageId] = useState(given);
  const resend = useOperation(tenantCode, "resent");
  const permission = useRoleReason("operate");
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
      {resend.data?.message && (
        <Suspense fallback={<Loading rows={4} />}>
          <HeldMessage tenantCode={tenantCode} message={resend.data.message} lease={resend.data.lease} />
        </Suspense>
      )}
    </ToolboxForm>
  );
}
