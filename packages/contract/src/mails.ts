import { z } from "zod";
import { defineRoute } from "./define-route.ts";
import { pageOf, pageQuery } from "./paging.ts";

export const Mail = z
  .object({
    id: z.number().int(),
    recipient: z.string(),
    kind: z.string(),
    locale: z.string(),
    subject: z.string(),
    text: z.string().nullable().describe("Told only where no mail server is set up, so that an admin can pass it on"),
    createdAt: z.string(),
    sentAt: z.string().nullable(),
    failure: z.string().nullable().describe("What the mail server said to the latest attempt"),
  })
  .meta({ id: "Mail" });
export type Mail = z.infer<typeof Mail>;

export const mailRoutes = {
  listMails: defineRoute({
    method: "GET",
    path: "/api/v1/mails",
    permission: "administer",
    summary: "Mails of the last seven days, newest first",
    query: z.object(pageQuery),
    responses: { 200: pageOf(Mail).extend({ isServerSet: z.boolean().describe("Whether SMTP_URL names a mail server") }) },
  }),
};
