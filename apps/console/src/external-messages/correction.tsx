import type { ExternalMessageCheck, ExternalMessageDetails } from "@crossdock/contract";
import { useNavigate } from "@tanstack/react-router";
import { CircleCheck, RotateCcw, X } from "lucide-react";
import { Suspense, useEffect, useId, useRef, useState } from "react";
import { useFailureNotice } from "../api/failure-notice.ts";
import { entityTypeText } from "../entity-types.ts";
import { useText } from "../i18n/i18n.tsx";
import { LeaveGuard } from "../leave-guard-later.ts";
import { Button } from "../ui/button.tsx";
import { noticeSuccess } from "../ui/notice.tsx";
import { useCheckExternalMessage, useReplayExternalMessage } from "./operations.ts";
import { ReasonList } from "./reason-list.tsx";

type CorrectionProps = { tenantCode: string; message: ExternalMessageDetails; onClose: () => void };

/** The body to be mended, checked and sent through intake as a message of its own. What would be rejected isn't sent. */
export function Correction({ tenantCode, message, onClose }: CorrectionProps) {
  const t = useText();
  const navigate = useNavigate();
  const id = useId();
  const [body, setBody] = useState(message.body);
  const check = useCheckExternalMessage(tenantCode);
  const replay = useReplayExternalMessage(tenantCode);
  const fail = useFailureNotice();
  const externalMessageId = message.id;
  const isBusy = check.isPending || replay.isPending;
  // Who leaves during the check sends nothing, and who leaves later is not called back.
  const hasLeft = useRef(false);
  useEffect(() => {
    hasLeft.current = false;
    return () => {
      hasLeft.current = true;
    };
  }, []);

  async function send(): Promise<void> {
    try {
      const outcome = await check.mutateAsync({ externalMessageId, body });
      if (outcome.state !== "accepted" || hasLeft.current) return;
      const sent = await replay.mutateAsync({ externalMessageId, body });
      noticeSuccess(t(sent.state === "unchanged" ? "external.replayedUnchanged" : "external.replayed", { count: sent.messageIds.length }));
      if (hasLeft.current) return;
      onClose();
      void navigate({ to: "/externalmessages/details/$messageId", params: { messageId: sent.id }, ignoreBlocker: true });
    } catch (error) {
      if (error instanceof Error) fail(error);
    }
  }

  return (
    <form
      className="grid gap-3 p-4"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <Suspense fallback={null}>{body !== message.body && <LeaveGuard />}</Suspense>
      <label htmlFor={id} className="text-xs text-muted">
        {t("external.correctHint")}
      </label>
      <textarea
        id={id}
        dir="ltr"
        value={body}
        spellCheck={false}
        // What is on its way is what stands here.
        readOnly={isBusy}
        rows={Math.min(28, Math.max(10, body.split("\n").length + 1))}
        onChange={(event) => {
          setBody(event.target.value);
          check.reset();
        }}
        className="w-full rounded-card border border-field-line bg-paper p-3 font-mono text-xs leading-5 text-ink"
      />
      {check.data && <CheckResult check={check.data} />}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="primary" isBusy={isBusy}>
          <RotateCcw aria-hidden className="size-4" />
          {t("external.replay")}
        </Button>
        <Button isBusy={isBusy} onClick={() => check.mutate({ externalMessageId, body }, { onError: fail })}>
          <CircleCheck aria-hidden className="size-4" />
          {t("external.check")}
        </Button>
        <Button onClick={onClose}>
          <X aria-hidden className="size-4" />
          {t("action.cancel")}
        </Button>
      </div>
    </form>
  );
}

/** What would become of the body. */
function CheckResult({ check: { state, reasons, documents } }: { check: ExternalMessageCheck }) {
  const t = useText();
  if (state !== "accepted") {
    return (
      <div role="status" className="rounded-card bg-bad-soft p-3 text-bad">
        <p className="font-medium">{t(state === "rejected" ? "external.checkRejected" : "external.checkIgnored")}</p>
        <ReasonList reasons={reasons} />
      </div>
    );
  }
  return (
    <div role="status" className="rounded-card bg-ok-soft p-3 text-ok">
      <p className="font-medium">{t("external.checkAccepted")}</p>
      <ul className="mt-1 grid gap-0.5">
        {documents.slice(0, 20).map(({ entityType, key, queues }, index) => (
          <li key={index} className="break-words">
            {entityTypeText(t, entityType)} <bdi className="font-medium">{key}</bdi> · {t("external.toQueues", { count: queues })}
          </li>
        ))}
        {documents.length > 20 && <li>{t("external.moreDocuments", { count: documents.length - 20 })}</li>}
      </ul>
      {reasons.length > 0 && <ReasonList reasons={reasons} />}
    </div>
  );
}
