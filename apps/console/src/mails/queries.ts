import type { Mail, Routes } from "@crossdock/contract";
import { api } from "../api/api.ts";
import { exportOf } from "../exporting.ts";
import { listQuery } from "../ui/list-query.ts";

/** As the lists have rows: known by a text. */
export type MailRow = Omit<Mail, "id"> & { id: string };

async function readMails(cursor: string, limit: number, signal: AbortSignal) {
  const page = await api<Routes["listMails"]>("GET", "/mails", { query: { ...(cursor && { cursor }), limit }, signal });
  return { ...page, items: page.items.map((mail): MailRow => ({ ...mail, id: String(mail.id) })) };
}

export const mailExport = exportOf<Routes["exportMails"]>("/mails/export", { query: {} });

export const mailsQuery = listQuery(["mails"], readMails);
