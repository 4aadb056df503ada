import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useId, useState, type FormEvent } from "react";
import { useFailureNotice } from "../failure-notice.ts";
import { useText } from "../i18n/i18n.tsx";
import { useRoleReason } from "../role-texts.ts";
import { Button } from "../ui/button.tsx";
import { MentionField } from "./mention-field.tsx";
import { createNote } from "./queries.ts";

type NoteFormProps = { tenantCode: string; messageId: string };

export function NoteForm({ tenantCode, messageId }: NoteFormProps) {
  const t = useText();
  const id = useId();
  const client = useQueryClient();
  const reason = useRoleReason("operate");
  const [text, setText] = useState("");
  const { mutate: save, isPending } = useMutation({
    mutationFn: () => createNote(tenantCode, messageId, text),
    onSuccess: () => {
      setText("");
      return client.invalidateQueries({ queryKey: ["tenant", tenantCode] });
    },
    onError: useFailureNotice(),
  });
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    if (reason === null && !isPending && text.trim() !== "") save();
  };
  return (
    <form onSubmit={submit} className="grid gap-2 p-4">
      <MentionField
        tenantCode={tenantCode}
        text={text}
        onChange={setText}
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
