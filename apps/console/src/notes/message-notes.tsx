import type { Note } from "@crossdock/contract";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Trash2 } from "lucide-react";
import { useFailureNotice } from "../api/failure-notice.ts";
import { useText } from "../i18n/i18n.tsx";
import { IconButton } from "../ui/button.tsx";
import { noticeSuccess } from "../ui/notice.tsx";
import { Card } from "../ui/page.tsx";
import { ErrorState, Loading } from "../ui/states.tsx";
import { Time } from "../ui/time.tsx";
import { useRefresh } from "../live/use-refresh.ts";
import { NoteForm } from "./note-form.tsx";
import { partsOf } from "./mentions.ts";
import { messageNotesQuery, removeNote, restoreNote } from "./queries.ts";

type MessageNotesProps = { tenantCode: string; messageId: string };

/** What operators told each other about a message, and the form to add to it. */
export function MessageNotes({ tenantCode, messageId }: MessageNotesProps) {
  const t = useText();
  const { data: notes, error, refetch } = useQuery(messageNotesQuery(tenantCode, messageId));
  const remove = useRemoveNote(tenantCode);
  return (
    <Card title={t("notes.title")}>
      {!notes && (error ? <ErrorState detail={error.message} onRetry={() => void refetch()} /> : <Loading rows={2} />)}
      {notes && notes.length > 0 && (
        <ul className="divide-y divide-line border-b border-line">
          {notes.map((note) => (
            <NoteItem key={note.id} note={note} onRemove={() => remove(note.id)} />
          ))}
        </ul>
      )}
      <NoteForm key={messageId} tenantCode={tenantCode} messageId={messageId} />
    </Card>
  );
}

function NoteItem({ note, onRemove }: { note: Note; onRemove: () => void }) {
  const t = useText();
  return (
    <li className="flex items-start gap-3 px-4 py-3">
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-baseline gap-x-2">
          <span className="font-medium">{note.authorName}</span>
          {note.via !== null && <span className="text-xs text-muted">{t("notes.via", { program: note.via })}</span>}
          <span className="text-xs text-muted">
            <Time at={note.createdAt} />
          </span>
        </p>
        <p dir="auto" className="mt-0.5 break-words whitespace-pre-wrap rtl:text-right">
          {partsOf(note.text).map(({ text, isMention }, index) =>
            isMention ? (
              <span key={index} className="font-medium text-primary-ink">
                {text}
              </span>
            ) : (
              text
            ),
          )}
        </p>
      </div>
      {note.isOwn && (
        <IconButton label={t("notes.remove")} onClick={onRemove}>
          <Trash2 aria-hidden className="size-4" />
        </IconButton>
      )}
    </li>
  );
}

function useRemoveNote(tenantCode: string): (noteId: number) => void {
  const t = useText();
  const refresh = useRefresh(tenantCode);
  const options = {
    onError: useFailureNotice(),
    onSettled: refresh,
  };
  const { mutate: restore } = useMutation({ mutationFn: (noteId: number) => restoreNote(tenantCode, noteId), ...options });
  const { mutate: remove } = useMutation({
    mutationFn: (noteId: number) => removeNote(tenantCode, noteId),
    onSuccess: (_none, noteId) => noticeSuccess(t("notice.noteRemoved"), { label: t("action.undo"), run: () => restore(noteId) }),
    ...options,
  });
  return remove;
}
