import { z } from "zod";
import { defineRoute } from "./define-route.ts";
import { RecordIdText, Time } from "./fields.ts";
import { reasons } from "./reasons.ts";

const Text = z.string().trim().min(1).max(300);
const Translations = z.partialRecord(z.enum(["en", "zh", "ar", "it", "es", "fr"]), Text);

/** What the banner above every screen says. */
export const Announcement = z
  .object({
    id: z.number().int(),
    text: z.string(),
    translations: Translations.describe("Other words for readers of a language, by locale"),
    link: z.string().nullable().describe("An https address or a path of the console"),
    isDismissible: z.boolean(),
    startsAt: z.string(),
    endsAt: z.string().nullable(),
  })
  .meta({ id: "Announcement" });
export type Announcement = z.infer<typeof Announcement>;

const NewAnnouncement = z.strictObject({
  text: Text,
  translations: Translations.default({}),
  // No other scheme, nor another host without one: the banner makes a link of it, and to browsers `/\host` and `/<tab>/host` are `//host`.
  link: z
    .string()
    .max(2000)
    .regex(/^(https:\/\/|\/(?![/\\]))[^\s\\]*$/, reasons["link-form"])
    .nullable()
    .default(null),
  isDismissible: z.boolean().default(true),
  startsAt: Time.optional().describe("Now unless given"),
  endsAt: Time.nullable().default(null),
});

export const announcementRoutes = {
  listAnnouncements: defineRoute({
    method: "GET",
    path: "/api/v1/announcements",
    permission: "signed-in",
    summary: "Announcements that are on now, newest first",
    responses: { 200: z.object({ items: z.array(Announcement) }) },
  }),
  listScheduledAnnouncements: defineRoute({
    method: "GET",
    path: "/api/v1/announcements/scheduled",
    permission: "administer",
    summary: "Announcements that are yet to begin, soonest first",
    responses: { 200: z.object({ items: z.array(Announcement) }) },
  }),
  createAnnouncement: defineRoute({
    method: "POST",
    path: "/api/v1/announcements",
    permission: "administer",
    summary: "Announce something to everybody who is signed in",
    body: NewAnnouncement,
    responses: { 201: Announcement },
  }),
  endAnnouncement: defineRoute({
    method: "POST",
    path: "/api/v1/announcements/:announcementId/end",
    permission: "administer",
    summary: "End an announcement now, or call off one that is yet to begin",
    params: z.object({ announcementId: RecordIdText }),
    responses: { 204: z.undefined() },
  }),
};
