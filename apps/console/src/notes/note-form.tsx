import { useMutation } from "@tanstack/react-query";
import { useId, type FormEvent } from "react";
import { useFailureNotice } from "../api/failure-notice.ts";
import { useText } from "../i18n/i18n.tsx";
import { useRoleReason } from "../session/role-texts.ts";
import { Button } from "../ui/button.tsx";
import { useRefresh } from "../live/use-refresh.ts";
import { MentionField } from "./mention-field.tsx";
import { createNote } from "./queries.ts";
import { useNoteDraft } from "./use-note-draft.ts";

type NoteFormProps = { tenantCode: string; messageId: string };

export function NoteForm({ tenantCode, messageId }: NoteFormProps) {
  const t = useText();
  const id = useId();
  const refresh = useRefresh(tenantCode);
  const reason = useRoleReason("operate");
  const { text, write, sent } = useNoteDraft(tenantCode, messageId);
  const { mutate: save, isPending } = useMutation({
    mutationFn: (written: string) => createNote(tenantCode, messageId, written),
    onSuccess: (_note, written) => {
      sent(written);
      return refresh();
    },
    onError: useFailureNotice(),
  });
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    if (reason === null && !isPending && text.trim() !== "") save(text);
  };
  return (
    <form data-screen-only onSubmit={submit} className="grid gap-2 p-4">
      <MentionField
        tenantCode={tenantCode}
        text={text}
        onChange={write}
        onSubmit={submit}
        label={t("notes.label")}
        describedBy={`${id}-hint`}
        readOnlyReason={reason}
      />
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p id={`${id}-hint`} className="text-xs text-muted">
          {reason ?? t("notes.hint")}
        </p>
        <Button type="submit" isBusy={isPending} disabledReason={reason}>
          {t("notes.add")}
        </Button>
      </div>
    </form>
  );
}
