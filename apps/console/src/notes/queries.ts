import type { AnswerOf, Routes } from "@crossdock/contract";
import { queryOptions } from "@tanstack/react-query";
import { api } from "../api/api.ts";

/** As many as the messages popover shows. */
const newestLimit = 20;

export function notesQuery(tenantCode: string) {
  return queryOptions({
    queryKey: ["tenant", tenantCode, "notes"],
    queryFn: ({ signal }) =>
      api<Routes["listNotes"]>("GET", "/tenants/:tenantCode/notes", { params: { tenantCode }, query: { limit: newestLimit }, signal }),
  });
}

export function messageNotesQuery(tenantCode: string, messageId: string) {
  return queryOptions({
    queryKey: ["tenant", tenantCode, "message", messageId, "notes"],
    queryFn: ({ signal }) =>
      api<Routes["listMessageNotes"]>("GET", "/tenants/:tenantCode/messages/:messageId/notes", {
        params: { tenantCode, messageId },
        signal,
      }),
    select: ({ items }) => items,
  });
}

export function markNotesRead(tenantCode: string, upTo: number): Promise<AnswerOf<Routes["markNotesRead"]>> {
  return api<Routes["markNotesRead"]>("PUT", "/tenants/:tenantCode/notes/read", { params: { tenantCode }, body: { upTo } });
}

export function createNote(tenantCode: string, messageId: string, text: string): Promise<AnswerOf<Routes["createNote"]>> {
  return api<Routes["createNote"]>("POST", "/tenants/:tenantCode/messages/:messageId/notes", {
    params: { tenantCode, messageId },
    body: { text },
  });
}

export function removeNote(tenantCode: string, noteId: number): Promise<AnswerOf<Routes["removeNote"]>> {
  return api<Routes["removeNote"]>("DELETE", "/tenants/:tenantCode/notes/:noteId", { params: { tenantCode, noteId } });
}

export function restoreNote(tenantCode: string, noteId: number): Promise<AnswerOf<Routes["restoreNote"]>> {
  return api<Routes["restoreNote"]>("POST", "/tenants/:tenantCode/notes/:noteId/restore", { params: { tenantCode, noteId } });
}
