import type { ExternalMessageDetails } from "@crossdock/contract";
import { useNavigate } from "@tanstack/react-router";
import { ArchiveRestore, PencilLine, RotateCcw, Trash2 } from "lucide-react";
import { useFailureText } from "../api/failure-notice.ts";
import { useText } from "../i18n/i18n.tsx";
import { ApiError } from "../api/problem.ts";
import { useRoleReason } from "../session/role-texts.ts";
import { Button } from "../ui/button.tsx";
import { noticeError, noticeSuccess } from "../ui/notice.tsx";
import { useRemoveExternalMessages, useReplayExternalMessage, useRestoreExternalMessages } from "./operations.ts";

type ActionsProps = { tenantCode: string; message: ExternalMessageDetails; onCorrect: () => void };

export function ExternalMessageActions({ tenantCode, message, onCorrect }: ActionsProps) {
  const t = useText();
  const textOf = useFailureText();
  const navigate = useNavigate();
  const disabledReason = useRoleReason("operate");
  const replay = useReplayExternalMessage(tenantCode);
  const remove = useRemoveExternalMessages(tenantCode);
  const restore = useRestoreExternalMessages(tenantCode);
  const ids = [message.id];
  const isBinary = message.bodyEncoding === "base64";

  function replayUnchanged(): void {
    replay.mutate(
      { externalMessageId: message.id },
      {
        onSuccess: ({ id, state, messageIds }) => {
          noticeSuccess(t(state === "unchanged" ? "external.replayedUnchanged" : "external.replayed", { count: messageIds.length }));
          void navigate({ to: "/externalmessages/details/$messageId", params: { messageId: id } });
        },
        onError: (error) => noticeError(reasonOf(error) ?? textOf(error)),
      },
    );
  }

  return (
    <>
      <Button
        look={message.state === "rejected" ? "primary" : "quiet"}
        disabledReason={disabledReason ?? (isBinary ? t("external.binaryOnly") : null)}
        onClick={onCorrect}
      >
        <PencilLine aria-hidden className="size-4" />
        {t("external.correct")}
      </Button>
      <Button disabledReason={disabledReason} isBusy={replay.isPending} onClick={replayUnchanged}>
        <RotateCcw aria-hidden className="size-4" />
        {t("external.replayAsIs")}
      </Button>
      {message.removedAt === null ? (
        <Button look="danger" disabledReason={disabledReason} isBusy={remove.isPending} onClick={() => remove.mutate({ ids })}>
          <Trash2 aria-hidden className="size-4" />
          {t("action.remove")}
        </Button>
      ) : (
        <Button disabledReason={disabledReason} isBusy={restore.isPending} onClick={() => restore.mutate({ ids })}>
          <ArchiveRestore aria-hidden className="size-4" />
          {t("action.restore")}
        </Button>
      )}
    </>
  );
}

/** The first reason that the server names, behind what was wrong; null where it names none. */
function reasonOf(error: Error): string | null {
  if (!(error instanceof ApiError)) return null;
  const [first] = error.problem.errors ?? [];
  return first ? `${error.problem.title} ${first.path} ${first.message}` : null;
}
