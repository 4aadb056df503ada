import type { MessageDetails } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import { Suspense, useState, type FormEvent } from "react";
import { useFailureText } from "../api/failure-notice.ts";
import { lazyPart } from "../lazy-screen.ts";
import { useText } from "../i18n/i18n.tsx";
import { stateLabels } from "./message-states.ts";
import { ApiError } from "../api/problem.ts";
import { SelectField, TextField } from "../ui/field.tsx";
import { FormFooter } from "../ui/form-footer.tsx";
import { parseJson } from "../ui/json/json-tree.ts";
import { Modal } from "../ui/modal.tsx";
import { queuesQuery } from "../session/workspace.ts";
import { DocumentEditor } from "./document-editor.tsx";
import { useReplace } from "./repair.ts";
import { useCheck } from "./use-check.ts";

const JsonDiffViewer = lazyPart(() => import("../ui/json/json-diff-viewer.tsx"));

type ReplaceDialogProps = { tenantCode: string; message: MessageDetails; onClose: () => void };

/** Edits a message's document, or chooses another target, and sends that in the message's place. */
export default function ReplaceDialog({ tenantCode, message, onClose }: ReplaceDialogProps) {
  const t = useText();
  const before = parseJson(message.document);
  const initial = before ? JSON.stringify(before.value, null, 2) : message.document;
  const [text, setText] = useState(initial);
  const [queueId, setQueueId] = useState(message.queueId);
  const [reason, setReason] = useState("");
  const targets = useTargets(tenantCode, message);
  const wish = { ...(text !== initial && { document: text }), ...(queueId !== message.queueId && { queueId }) };
  const isChanged = text !== initial || queueId !== message.queueId;
  const { errors, isChecking } = useCheck(tenantCode, message.id, wish, isChanged);
  const replace = useReplace(tenantCode, message.id);
  const after = parseJson(text);
  const block = !isChanged
    ? t("replace.unchanged")
    : errors.length > 0
      ? t("replace.invalid")
      : reason.trim() === ""
        ? t("replace.noReason")
        : null;

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (block === null && !isChecking && !replace.isPending) replace.mutate({ ...wish, reason }, { onSuccess: onClose });
  }

  return (
    <Modal title={t("replace.title", { key: message.key })} description={t("replace.text")} onClose={onClose} isWide>
      <form onSubmit={submit} className="mt-4 grid gap-4">
        <DocumentEditor label={t("details.document")} text={text} onChange={setText} errors={errors} isChecking={isChecking} />
        {text !== initial && before && after && (
          <div className="rounded-card border border-line">
            <Suspense fallback={null}>
              <JsonDiffViewer before={before.value} after={after.value} label={t("replace.changes")} />
            </Suspense>
          </div>
        )}
        <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
          <SelectField label={t("message.target")} value={String(queueId)} onChange={(id) => setQueueId(Number(id))} options={targets} />
          <TextField
            id="replace-reason"
            label={`${t("replace.reason")} *`}
            value={reason}
            maxLength={500}
            autoComplete="off"
            onChange={(event) => setReason(event.target.value)}
          />
        </div>
        <FormFooter
          action={t("replace.send")}
          isBusy={replace.isPending || isChecking}
          disabledReason={block}
          refusal={replace.error && <Refusal error={replace.error} />}
        />
      </form>
    </Modal>
  );
}

/** Why nothing was sent. Somebody else, or the target's worker, may have been faster. */
function Refusal({ error }: { error: Error }) {
  const t = useText();
  const textOf = useFailureText();
  const { problem } = error instanceof ApiError ? error : { problem: null };
  const label = Object.entries(stateLabels).find(([state]) => state === problem?.current?.["state"])?.[1];
  if (label) return t("replace.tooLate", { state: t(label) });
  return textOf(error);
}

/** The targets of the message's subtenant that take its entity type; its own first. */
function useTargets(tenantCode: string, message: MessageDetails) {
  const { data: queues = [] } = useQuery(queuesQuery(tenantCode));
  return queues
    .filter(({ subtenantCode, entityType }) => subtenantCode === message.subtenantCode && entityType === message.entityType)
    .toSorted((one, other) => Number(other.id === message.queueId) - Number(one.id === message.queueId))
    .map(({ id, name, integrationPoint }) => ({ value: String(id), label: `${integrationPoint.name} · ${name}` }));
}
