import type { Note } from "@crossdock/contract";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { AtSign, MessageSquareText } from "lucide-react";
import { useState } from "react";
import { useText } from "../i18n/i18n.tsx";
import { markNotesRead, notesQuery } from "../notes/queries.ts";
import { activeTenantCode } from "../settings.ts";
import { Chip } from "../ui/chip.tsx";
import { ErrorState, Loading } from "../ui/states.tsx";
import { Time } from "../ui/time.tsx";
import { Avatar } from "./avatar.tsx";
import { HeaderPopover, PopoverEmpty, PopoverTitle, UnreadBadge } from "./header-popover.tsx";

/** The newest notes that operators left on messages of the active tenant. Opening it counts as reading them. */
export function MessagesPopover() {
  const t = useText();
  const tenantCode = activeTenantCode.use();
  const client = useQueryClient();
  const { data } = useQuery({ ...notesQuery(tenantCode ?? ""), enabled: tenantCode !== null });
  // What was unread when the popover opened stays marked while it is open.
  const [readBefore, setReadBefore] = useState(0);
  const { mutate: markRead } = useMutation({
    mutationFn: (upTo: number) => markNotesRead(tenantCode ?? "", upTo),
    onSuccess: () => client.invalidateQueries({ queryKey: notesQuery(tenantCode ?? "").queryKey }),
  });
  const unreadCount = data?.unreadCount ?? 0;
  const open = () => {
    const newest = data?.items[0];
    setReadBefore(data?.readUpTo ?? 0);
    if (newest && unreadCount > 0) markRead(newest.id);
  };
  const label = unreadCount > 0 ? t("messages.titleUnread", { count: unreadCount }) : t("messages.title");
  return (
    <HeaderPopover
      label={label}
      onOpen={open}
      trigger={
        <>
          <MessageSquareText aria-hidden className="size-5" />
          <UnreadBadge count={unreadCount} />
        </>
      }
    >
      {(close) => (
        <>
          <PopoverTitle>{t("messages.title")}</PopoverTitle>
          {tenantCode === null ? (
            <Empty text={t("tenants.activateFirst")} />
          ) : (
            <NewestNotes tenantCode={tenantCode} readBefore={readBefore} onOpenNote={close} />
          )}
        </>
      )}
    </HeaderPopover>
  );
}

function Empty({ text }: { text: string }) {
  return <PopoverEmpty icon={<MessageSquareText aria-hidden className="size-8" strokeWidth={1.4} />}>{text}</PopoverEmpty>;
}

type NewestNotesProps = { tenantCode: string; readBefore: number; onOpenNote: () => void };

function NewestNotes({ tenantCode, readBefore, onOpenNote }: NewestNotesProps) {
  const t = useText();
  const { data, error, refetch } = useQuery(notesQuery(tenantCode));
  if (!data) return error ? <ErrorState detail={error.message} onRetry={() => void refetch()} /> : <Loading rows={4} />;
  if (data.items.length === 0) return <Empty text={t("messages.none")} />;
  return (
    <ul className="divide-y divide-line">
      {data.items.map((note) => (
        <NoteLink key={note.id} note={note} isUnread={!note.isOwn && note.id > readBefore} onOpen={onOpenNote} />
      ))}
    </ul>
  );
}

function NoteLink({ note, isUnread, onOpen }: { note: Note; isUnread: boolean; onOpen: () => void }) {
  const t = useText();
  return (
    <li>
      <Link
        to="/queue/details/$messageId"
        params={{ messageId: note.messageId }}
        onClick={onOpen}
        className="flex gap-3 px-4 py-3 -outline-offset-2 hover:bg-hover"
      >
        <Avatar name={note.authorName} />
        <span className="min-w-0 flex-1">
          <span className="flex items-baseline gap-2">
            <bdi className="min-w-0 flex-1 truncate font-medium">{note.authorName}</bdi>
            <span className="shrink-0 text-xs text-muted">
              <Time at={note.createdAt} />
            </span>
            {isUnread && <span role="img" aria-label={t("messages.unread")} className="size-2 shrink-0 rounded-full bg-secondary-ink" />}
          </span>
          <span dir="auto" className="line-clamp-2 break-words rtl:text-right">
            {note.text}
          </span>
          <span className="mt-1 flex items-center gap-2 text-xs text-muted">
            <bdi className="truncate">
              {note.queueName} · {note.messageKey}
            </bdi>
            {note.mentionsCaller && (
              <Chip tone="info">
                <AtSign aria-hidden className="me-1 inline size-3" />
                {t("messages.mentionsYou")}
              </Chip>
            )}
          </span>
        </span>
      </Link>
    </li>
  );
}
