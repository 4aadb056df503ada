import type { MessageDetails, MessageState } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ArchiveRestore, RotateCcw, Route, Trash2 } from "lucide-react";
import { useText } from "../i18n/i18n.tsx";
import { useRemove, useRemoveDeadLetters, useRequeue, useRestore, useRetryNow } from "./message-operations.ts";
import { useRoleReason } from "../session/role-texts.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { attemptsQuery } from "./queries.ts";
import { repairOf } from "./repair-link.tsx";
import { ReplaceButton } from "./replace-button.tsx";
import { ResendLink } from "./resend-link.tsx";

const removable: MessageState[] = ["ready", "retrying", "parked"];

/** The way to the whole way of the message's object, and the operations that its state allows. */
export function MessageActions({ tenantCode, message }: { tenantCode: string; message: MessageDetails }) {
  const t = useText();
  const disabledReason = useRoleReason("operate");
  const requeue = useRequeue(tenantCode);
  const removeDead = useRemoveDeadLetters(tenantCode);
  const remove = useRemove(tenantCode);
  const restore = useRestore(tenantCode);
  const retryNow = useRetryNow(tenantCode);
  const { data: attempts } = useQuery({ ...attemptsQuery(tenantCode, message.id), enabled: message.state === "dead" });
  const repair = message.state === "dead" ? repairOf(attempts?.at(-1)?.error?.class) : undefined;
  const selection = { ids: [message.id] };
  const doneText = message.state === "retrying" ? "notice.retryItemsRemoved" : "notice.removed";
  const [removal, removeIt] =
    message.state === "dead" ? [removeDead, () => removeDead.mutate(selection)] : [remove, () => remove.mutate({ ...selection, doneText })];
  return (
    <>
      <Link to="/queue/details/$messageId" params={{ messageId: message.id }} search={{ view: "trace" }} className={buttonClass()}>
        <Route aria-hidden className="size-4" />
        {t("trace.title")}
      </Link>
      {message.state === "dead" && (
        <Button
          look={repair ? "quiet" : "primary"}
          disabledReason={disabledReason}
          isBusy={requeue.isPending}
          onClick={() => requeue.mutate(selection)}
        >
          <RotateCcw aria-hidden className="size-4" />
          {t("action.requeue")}
        </Button>
      )}
      {message.state === "retrying" && (
        <Button look="primary" disabledReason={disabledReason} isBusy={retryNow.isPending} onClick={() => retryNow.mutate(selection)}>
          <RotateCcw aria-hidden className="size-4" />
          {t("action.retryNow")}
        </Button>
      )}
      {message.state === "removed" && (
        <Button look="primary" disabledReason={disabledReason} isBusy={restore.isPending} onClick={() => restore.mutate(selection)}>
          <ArchiveRestore aria-hidden className="size-4" />
          {t("action.restore")}
        </Button>
      )}
      {message.state === "delivered" && <ResendLink messageId={message.id} />}
      <ReplaceButton tenantCode={tenantCode} message={message} look={repair === "document" ? "primary" : "quiet"} />
      {(message.state === "dead" || removable.includes(message.state)) && (
        <Button look="danger" disabledReason={disabledReason} isBusy={removal.isPending} onClick={removeIt}>
          <Trash2 aria-hidden className="size-4" />
          {t("action.remove")}
        </Button>
      )}
    </>
  );
}
