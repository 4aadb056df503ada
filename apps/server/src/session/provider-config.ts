import { PersonRole } from "@crossdock/contract";
import { z } from "zod";

const providerKinds = ["firebase", "aws_cognito", "auth0", "oidc"] as const;

/** Defaults that are the same for all customers of a kind. Firebase projects sign people in through their Google OAuth client. */
const defaults: Record<(typeof providerKinds)[number], { name: string; issuer?: string; groupsClaim: string }> = {
  firebase: { name: "Google", issuer: "https://accounts.google.com", groupsClaim: "groups" },
  aws_cognito: { name: "AWS Cognito", groupsClaim: "cognito:groups" },
  auth0: { name: "Auth0", groupsClaim: "groups" },
  oidc: { name: "OpenID Connect", groupsClaim: "groups" },
};

const isLoopback = (host: string): boolean => host === "localhost" || host === "[::1]" || /^127(\.\d{1,3}){3}$/.test(host);

const Issuer = z
  .url({ protocol: /^https?$/ })
  .refine(
    (text) => text.startsWith("https:") || (URL.canParse(text) && isLoopback(new URL(text).hostname)),
    "an issuer must begin with https:, or be on this machine",
  );

const Grant = z.strictObject({ role: PersonRole.default("viewer"), tenants: z.array(z.string()).default([]) });

const ProviderEntry = z.strictObject({
  id: z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/, "an id has small letters, digits and hyphens"),
  kind: z.enum(providerKinds).default("oidc"),
  name: z.string().min(1).max(60).optional(),
  issuer: Issuer.optional(),
  clientId: z.string().min(1),
  clientSecret: z.string().min(1).optional(),
  scope: z.string().default("openid email profile"),
  groupsClaim: z.string().min(1).optional(),
  groups: z.record(z.string(), Grant).optional(),
  sessionHours: z.number().int().min(1).max(4320).default(24),
});

const Provider = ProviderEntry.transform((entry, context) => {
  const issuer = entry.issuer ?? defaults[entry.kind].issuer;
  if (issuer === undefined) {
    context.addIssue({ code: "custom", message: `provider ${entry.id} needs an issuer` });
    return z.NEVER;
  }
  return {
    id: entry.id,
    kind: entry.kind,
    name: entry.name ?? defaults[entry.kind].name,
    issuer,
    clientId: entry.clientId,
    clientSecret: entry.clientSecret ?? null,
    scope: entry.scope,
    groupsClaim: entry.groupsClaim ?? defaults[entry.kind].groupsClaim,
    /** What each group grants; null: groups grant nothing, admins do. */
    groups: entry.groups ?? null,
    /** After so long a person proves anew that the provider still knows them. */
    sessionSeconds: entry.sessionHours * 3600,
  };
});
export type Provider = z.output<typeof Provider>;

/** The text of CROSSDOCK_OIDC: a JSON list of providers. */
export const Providers = z
  .string()
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue({ code: "custom", message: "must be a JSON list (see docs/signing-in.md)" });
      return z.NEVER;
    }
  })
  .pipe(z.array(Provider))
  .refine((list) => new Set(list.map(({ id }) => id)).size === list.length, "two providers have the same id");
