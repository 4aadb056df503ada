import { z } from "zod";
import { reasons } from "./reasons.ts";

/** Ids of messages and their kin are 64-bit: strings on the wire, since JSON numbers lose digits in many readers. */
export const MessageId = z
  .string()
  .regex(/^[0-9]{1,18}$/, reasons["digits-only"])
  .meta({ id: "MessageId" });

/** Messages that one call changes. */
export const MessageIds = z.array(MessageId).min(1).max(1000);

/** Ids of what people make by hand (subtenants, integration points, keys), in bodies; in paths and queries see `RecordIdText`. */
export const RecordId = z.number().int().min(1).max(2_147_483_647);

/**
 * A number as the text that it is in a path or query; `form` is how it may be written. `z.coerce` would also take "0x1", " 1" and "". Where it
 * may be left out, `prefault` keeps in the API's description what stands for it; `default` would not.
 */
export function fromText<Schema extends z.ZodNumber>(schema: Schema, form = /^(0|-?[1-9]\d*)$/) {
  return z.preprocess((value) => (typeof value === "string" && form.test(value) ? Number(value) : value), schema);
}
export const RecordIdText = fromText(RecordId);

export const Code = z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/, reasons["code-form"]);
/**
 * Without line breaks and other control characters: what is named stands in lists, subjects of mails and lines of the log. Nor with those that turn the
 * direction of the text around, as `Ada \u202elive` would read `Ada evil`, and with it whatever stands behind.
 */
export const Line = z
  .string()
  .trim()
  .regex(/^[^\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]*$/u, reasons["line-form"]);
export const Name = Line.min(1).max(200);
export const Time = z.iso.datetime({ offset: true });

/** A query parameter that may be given once or several times: `?state=dead&state=ready`. */
export function listOf<Item extends z.ZodType>(item: Item, max = 100) {
  const toList = (value: z.input<Item> | z.input<Item>[] | undefined) => (value === undefined || Array.isArray(value) ? value : [value]);
  return z.preprocess(toList, z.array(item).max(max).optional());
}

export const BusinessKey = z.string().min(1).max(500);

/** How lists of what has a business key are asked for some of it. */
export const keyFilter = {
  key: listOf(BusinessKey, 500).describe("Business keys, one of which it must have"),
  keyPrefix: BusinessKey.optional().describe("Start of the business key"),
};

/** "true" and "false" as query parameters; z.coerce.boolean would read "false" as true. */
export const QueryBoolean = z.enum(["true", "false"]).transform((text) => text === "true");

export const tenantParams = z.object({ tenantCode: Code });
export const messageParams = tenantParams.extend({ messageId: MessageId });
export const jobParams = tenantParams.extend({ jobId: RecordIdText });
export const runParams = tenantParams.extend({ runId: RecordIdText });
