import { z } from "zod";
import { defineRoute } from "./define-route.ts";
import { Name, RecordId, RecordIdText, messageParams, tenantParams } from "./fields.ts";
import { pageOf, pageQuery } from "./paging.ts";

/** An operator's remark on a message, addressed to the team of the tenant. */
export const Note = z
  .object({
    id: z.number().int(),
    messageId: z.string(),
    messageKey: z.string(),
    queueName: z.string(),
    authorName: z.string(),
    via: z.string().nullable().describe("Name of the API key of the program that handed it in; null: written by a person signed in here"),
    isOwn: z.boolean().describe("The caller wrote it and may remove it"),
    mentionsCaller: z.boolean(),
    text: z.string(),
    createdAt: z.string(),
  })
  .meta({ id: "Note" });
export type Note = z.infer<typeof Note>;

const noteParams = tenantParams.extend({ noteId: RecordIdText });

export const noteRoutes = {
  listNotes: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/notes",
    permission: "read",
    summary: "The tenant's notes, newest first, and how many the caller has not read",
    params: tenantParams,
    query: z.object(pageQuery),
    responses: {
      200: pageOf(Note).extend({
        readUpTo: z.number().int().describe("The caller has read the notes up to this id"),
        unreadCount: z.number().int().describe("Others' notes above it; at most 100"),
      }),
    },
  }),
  markNotesRead: defineRoute({
    method: "PUT",
    path: "/api/v1/tenants/:tenantCode/notes/read",
    permission: "read",
    changes: false,
    summary: "Remember up to which note the caller has read; never goes back",
    params: tenantParams,
    body: z.strictObject({ upTo: RecordId }),
    responses: { 204: z.undefined() },
  }),
  listMessageNotes: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/messages/:messageId/notes",
    permission: "read",
    summary: "The notes on a message, oldest first; the newest 200 at most",
    params: messageParams,
    responses: { 200: z.object({ items: z.array(Note) }) },
  }),
  createNote: defineRoute({
    method: "POST",
    path: "/api/v1/tenants/:tenantCode/messages/:messageId/notes",
    permission: "operate",
    summary: "Leave a note on a message; @name tells the colleague of that name",
    description: "A colleague is named by first name, full name without blanks, or the email's part before the @.",
    params: messageParams,
    body: z.strictObject({
      text: z.string().trim().min(1).max(2000),
      authorName: Name.optional().describe("Who wrote it elsewhere. For programs with an API key only: a person signs with the own name"),
    }),
    responses: { 201: Note },
  }),
  removeNote: defineRoute({
    method: "DELETE",
    path: "/api/v1/tenants/:tenantCode/notes/:noteId",
    permission: "operate",
    summary: "Remove a note of one's own; it can be restored",
    params: noteParams,
    responses: { 204: z.undefined() },
  }),
  restoreNote: defineRoute({
    method: "POST",
    path: "/api/v1/tenants/:tenantCode/notes/:noteId/restore",
    permission: "operate",
    summary: "Put a removed note of one's own back",
    params: noteParams,
    responses: { 200: Note },
  }),
};
