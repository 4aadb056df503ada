import { z } from "zod";
import { BusinessKey, Code, MessageId, tenantParams } from "./fields.ts";
import { EntityType } from "./canonical/index.ts";
import { defineRoute } from "./define-route.ts";

const names = `
  email emailAddress contactEmail phone phoneNumber mobile telephone fax
  firstName lastName middleName fullName givenName familyName surname customerName recipient
  address addresses billingAddress shippingAddress deliveryAddress defaultAddress street address1 address2
  birthday birthDate dateOfBirth personalNumber socialSecurityNumber vatNumber iban cardNumber
  ipAddress browserIp clientIp`;
/** What is masked where a tenant has not said otherwise: what tells a person apart, and where that person can be found. */
export const defaultMaskedFields = [...names.trim().split(/\s+/), "$.customer.name"];

const MaskedField = z
  .string()
  .max(200)
  .regex(
    /^(?:[\p{L}_][\p{L}\p{N}_ -]*|\$(?:\.[^.[\]\s"]+|\[\*\])+)$/u,
    "a name such as email, or a path such as $.customer.name or $.lines[*].note",
  );

export const MaskingRules = z
  .object({
    fields: z.array(z.string()).describe("Names, wherever they stand, and paths; what lies under one is masked with it"),
    isDefault: z.boolean().describe("The tenant has not said otherwise"),
    version: z.number().int(),
  })
  .meta({ id: "MaskingRules" });
export type MaskingRules = z.infer<typeof MaskingRules>;

/** Where a value is to be revealed. */
export const RevealSource = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("message"), messageId: MessageId }),
  z.strictObject({
    kind: z.literal("attempt"),
    messageId: MessageId,
    number: z.number().int().min(1).max(1_000_000),
    part: z.enum(["request", "response"]),
  }),
  z.strictObject({ kind: z.literal("external-message"), externalMessageId: MessageId }),
  z.strictObject({
    kind: z.literal("entity"),
    entityType: EntityType,
    subtenant: Code,
    key: BusinessKey,
    isDevelopment: z.boolean().default(false),
    version: z.number().int().min(1).max(2_147_483_647),
  }),
]);
export type RevealSource = z.infer<typeof RevealSource>;

const path = "/api/v1/tenants/:tenantCode/masking-rules";

export const maskingRuleRoutes = {
  getMaskingRules: defineRoute({
    method: "GET",
    path,
    permission: "read",
    summary: "Which fields of documents are shown masked",
    params: tenantParams,
    hasETag: true,
    responses: { 200: MaskingRules },
  }),
  updateMaskingRules: defineRoute({
    method: "PUT",
    path,
    permission: "configure",
    summary: "Say which fields are masked; fields that hold secrets are in any case",
    description: "Error texts are masked when they are written, by the rules of that moment.",
    params: tenantParams,
    body: z.strictObject({ fields: z.array(MaskedField).max(200) }),
    hasETag: true,
    takesIfMatch: true,
    responses: { 200: MaskingRules },
  }),
  revealValue: defineRoute({
    method: "POST",
    path: "/api/v1/tenants/:tenantCode/reveals",
    permission: "reveal",
    summary: "Read one masked value; who did, where and why is kept in the audit log",
    params: tenantParams,
    body: z.strictObject({
      source: RevealSource,
      pointer: z.string().max(1000).describe("JSON pointer (RFC 6901); empty for a body that is no JSON"),
      reason: z.string().trim().min(1).max(500),
    }),
    responses: { 200: z.object({ value: z.string().describe("The value as text") }) },
  }),
};
