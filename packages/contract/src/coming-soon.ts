import { z } from "zod";
import { defineRoute } from "./define-route.ts";
import { RecordIdText } from "./fields.ts";
import { pageOf, pageQuery } from "./paging.ts";

/** Begins with a letter or digit, so that no spreadsheet takes an exported address for a formula. */
const Email = z
  .email()
  .max(320)
  .regex(/^[a-z0-9]/i, "begins with a letter or digit");

export const ComingSoonAddress = z
  .object({ id: z.number().int(), email: z.string(), locale: z.string().nullable(), createdAt: z.string() })
  .meta({ id: "ComingSoonAddress" });
export type ComingSoonAddress = z.infer<typeof ComingSoonAddress>;

export const comingSoonRoutes = {
  notifyMe: defineRoute({
    method: "POST",
    path: "/api/v1/coming-soon/addresses",
    permission: "signed-in",
    summary: "Leave an address to be told of what is coming; one that is known already is answered alike",
    body: z.strictObject({ email: Email, locale: z.string().max(35).nullable().default(null) }),
    responses: { 204: z.undefined() },
  }),
  listComingSoonAddresses: defineRoute({
    method: "GET",
    path: "/api/v1/coming-soon/addresses",
    permission: "administer",
    summary: "Addresses that were left, newest first",
    query: z.object(pageQuery),
    responses: { 200: pageOf(ComingSoonAddress) },
  }),
  removeComingSoonAddress: defineRoute({
    method: "DELETE",
    path: "/api/v1/coming-soon/addresses/:addressId",
    permission: "administer",
    summary: "Forget an address for good",
    params: z.object({ addressId: RecordIdText }),
    responses: { 204: z.undefined() },
  }),
};
