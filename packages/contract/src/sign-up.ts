import { z } from "zod";
import { defineRoute } from "./define-route.ts";
import { Name } from "./fields.ts";
import { Email, NewPassword } from "./users.ts";
import { reasons } from "./reasons.ts";

const Code = z.string().regex(/^\d{6}$/, reasons["six-digits"]);
const Locale = z.string().max(35).default("en").describe("Of the mail, where the person has chosen none");
/** Only the person who asked for a code has this; the code itself comes by mail. */
const AttemptId = z.uuid();

export const signUpRoutes = {
  getSignInOptions: defineRoute({
    method: "GET",
    path: "/api/v1/sign-in-options",
    permission: "public",
    summary: "What the sign-in offers: sign-up, and other providers",
    responses: {
      200: z.object({
        isSignUpOpen: z.boolean(),
        isMailed: z.boolean().describe("False without a mail server: admins find codes in the console"),
        providers: z.array(z.object({ id: z.string(), kind: z.enum(["firebase", "aws_cognito", "auth0", "oidc"]), name: z.string() })),
      }),
    },
  }),
  signUp: defineRoute({
    method: "POST",
    path: "/api/v1/sign-up",
    permission: "public",
    changes: false,
    summary: "Ask for an account; a code of six digits goes to the address",
    description: "The answer is the same for known and unknown addresses, unless CROSSDOCK_TELL_REGISTERED is set.",
    body: z.strictObject({ name: Name, email: Email, password: NewPassword, locale: Locale }),
    responses: {
      200: z.object({ attemptId: AttemptId, outcome: z.enum(["sent", "started"]).describe("`started`: a sign-up was under way already") }),
    },
  }),
  confirmSignUp: defineRoute({
    method: "POST",
    path: "/api/v1/sign-up/confirmation",
    permission: "public",
    changes: false,
    summary: "Confirm a sign-up by its code; the account is a viewer's, without a tenant",
    body: z.strictObject({ attemptId: AttemptId, code: Code }),
    responses: { 204: z.undefined() },
  }),
  requestPasswordReset: defineRoute({
    method: "POST",
    path: "/api/v1/password-reset",
    permission: "public",
    changes: false,
    summary: "Ask for a code with which a new password can be set; it goes to the address",
    body: z.strictObject({ email: Email, locale: Locale }),
    responses: { 200: z.object({ attemptId: AttemptId }) },
  }),
  resetPassword: defineRoute({
    method: "POST",
    path: "/api/v1/password-reset/confirmation",
    permission: "public",
    changes: false,
    summary: "Set a new password by the code; ends all of the person's sessions",
    body: z.strictObject({ attemptId: AttemptId, code: Code, password: NewPassword }),
    responses: { 204: z.undefined() },
  }),
};
