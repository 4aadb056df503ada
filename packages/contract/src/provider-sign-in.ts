import { z } from "zod";
import { defineRoute } from "./define-route.ts";
import { Code } from "./fields.ts";
import { Session } from "./session.ts";

export const providerRoutes = {
  startProviderSignIn: defineRoute({
    method: "POST",
    path: "/api/v1/session/providers/:providerId",
    permission: "public",
    changes: false,
    summary: "Begin a sign-in at another provider (OpenID Connect): where to send the browser",
    params: z.object({ providerId: Code }),
    body: z.strictObject({ remember: z.boolean().default(false) }),
    responses: { 200: z.object({ url: z.string() }) },
  }),
  finishProviderSignIn: defineRoute({
    method: "POST",
    path: "/api/v1/session/providers",
    permission: "public",
    changes: false,
    summary:
      "Complete a sign-in with what the provider sent to /redirect; sets the refresh cookie. Works once, in the browser that began it",
    body: z.strictObject({ query: z.string().min(1).max(8000).describe("The address's query as the provider wrote it") }),
    responses: { 200: Session },
  }),
};
