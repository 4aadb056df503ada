import { z } from "zod";

/** Every error the server answers with: the HTTP status and the title that anyone may read. */
export const errorCodes = {
  "bad-request": { status: 400, title: "The request is malformed" },
  "validation-failed": { status: 400, title: "The request does not fit its schema" },
  "bad-json": { status: 400, title: "The body is not valid JSON" },
  "bad-encoding": { status: 400, title: "The body is not valid UTF-8" },
  "nul-character": { status: 400, title: "The body contains a NUL character" },
  "unknown-entity-type": { status: 400, title: "The entity type is not known here" },
  "unknown-subtenant": { status: 400, title: "The subtenant is not known here" },
  "cursor-invalid": { status: 400, title: "The cursor is not one that this list gave out" },
  "not-signed-in": { status: 401, title: "Sign in first" },
  "token-invalid": { status: 401, title: "The access token or API key is not valid" },
  "credentials-invalid": { status: 401, title: "Email or password is wrong" },
  "provider-refused": { status: 401, title: "The sign-in at the provider did not succeed" },
  "code-wrong": { status: 422, title: "The code is wrong" },
  "code-expired": { status: 422, title: "The code is expired" },
  "password-common": { status: 422, title: "The password is too common and easy to guess" },
  "already-registered": { status: 409, title: "The entered Email address is already registered!" },
  "sign-up-closed": { status: 403, title: "There is no sign-up here: accounts are made by invitation" },
  "signature-invalid": { status: 401, title: "The signature is missing or wrong" },
  "password-wrong": { status: 422, title: "The present password is wrong" },
  "picture-invalid": { status: 422, title: "The picture is not a PNG of a kind that is taken" },
  "permission-missing": { status: 403, title: "Your role does not permit this" },
  "not-found": { status: 404, title: "There is no such object" },
  "method-not-allowed": { status: 405, title: "The path does not take this method" },
  "request-too-slow": { status: 408, title: "The request took too long to arrive" },
  "body-too-slow": { status: 408, title: "The body took too long to arrive" },
  conflict: { status: 409, title: "The object is in a state that does not permit this" },
  "already-exists": { status: 409, title: "An object with this code exists already" },
  "changed-meanwhile": { status: 409, title: "Somebody else changed the object meanwhile" },
  "own-account": { status: 409, title: "Nobody can lock themselves out: another admin has to do this" },
  "last-admin": { status: 409, title: "Somebody has to remain admin" },
  "mapping-cycle": { status: 409, title: "The mappings would turn a value into another one and back" },
  "lease-stale": { status: 409, title: "The lease has ended or belongs to another worker" },
  "request-under-way": { status: 409, title: "The same request is under way" },
  "answer-not-kept": { status: 409, title: "The request was carried out before, and its answer is not kept" },
  "idempotency-key-reused": { status: 422, title: "The Idempotency-Key was used for another request" },
  "version-changed": { status: 412, title: "Somebody else changed the object meanwhile" },
  "too-large": { status: 413, title: "The body is too large" },
  "media-type-unsupported": { status: 415, title: "The content type is not supported" },
  "rejected-message": { status: 422, title: "The message was stored but could not be translated" },
  "too-many-requests": { status: 429, title: "Too many requests" },
  "headers-too-large": { status: 431, title: "The headers are too large" },
  internal: { status: 500, title: "Something went wrong on our side" },
  maintenance: { status: 503, title: "The site is under maintenance" },
  unavailable: { status: 503, title: "The service is not available at the moment" },
} as const satisfies Record<string, { status: number; title: string }>;

export type ErrorCode = keyof typeof errorCodes;

const ReasonValues = z.record(z.string(), z.union([z.string(), z.number()]));

/** What is wrong with one value. */
export const Fault = z
  .object({
    path: z
      .string()
      .describe(
        "Where it is: `body/…`, `querystring/…` or `params/…` of the request, or the way to a value within a document; empty for the whole",
      ),
    message: z.string(),
    reason: z.string().optional().describe("The message's name, where it has one, for whoever tells it in another language"),
    values: ReasonValues.optional().describe("What the message names"),
  })
  .meta({ id: "Fault" });
export type Fault = z.infer<typeof Fault>;

/** Why something failed that no value of a request was to blame for. */
export const Failure = Fault.omit({ path: true }).meta({ id: "Failure" });
export type Failure = z.infer<typeof Failure>;

/** What is wrong with one line of a file, counted from 1. */
export const LineFault = Failure.extend({ line: z.number().int() }).meta({ id: "LineFault" });
export type LineFault = z.infer<typeof LineFault>;

/** The body of every error: problem details of RFC 9457, with `code` and `requestId` as extensions. `msg` is what the first clients read. */
export const Problem = z
  .object({
    type: z.string().describe("The kind of error: `urn:crossdock:error:` and the code"),
    title: z.string(),
    status: z.number().int(),
    code: z.string(),
    detail: z.string().optional(),
    reason: z.string().optional().describe("The detail's name, where it has one"),
    values: ReasonValues.optional().describe("What the detail names"),
    requestId: z.string(),
    msg: z.string().optional(),
    current: z
      .record(z.string(), z.unknown())
      .optional()
      .describe("The object as it is now, where the request was based on an older version"),
    errors: z.array(Fault).optional(),
  })
  .meta({ id: "Problem" });
export type Problem = z.infer<typeof Problem>;
