import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { z } from "zod";
import { parseAllowList } from "./egress/addresses.ts";
import { Providers } from "./session/provider-config.ts";
import { StartError } from "./start-error.ts";

/** One setting: how its text is read, what holds when it is absent, and what a person needs to know of it. */
type Setting<Schema extends z.ZodType> = { schema: Schema; default: string | null; description: string; isSecret?: boolean };

const setting = <Schema extends z.ZodType>(definition: Setting<Schema>): Setting<Schema> => definition;

const Flag = z.enum(["0", "1"], { error: "must be 0 or 1" }).transform((text) => text === "1");
const WholeNumber = (from: number, to: number) => {
  const error = `must be a whole number from ${from} to ${to}`;
  return z.string().regex(/^\d+$/, error).transform(Number).pipe(z.number().min(from, error).max(to, error));
};

/** Host and user have to stand in front: from there the roles' own connections are made. */
function isPostgresUrl(text: string): boolean {
  if (!/^postgres(ql)?:\/\//.test(text) || !URL.canParse(text)) return false;
  const { hostname, pathname, hash } = new URL(text);
  // Of several hosts the driver takes the list for a name. The others are left of a password that is not encoded.
  return hostname !== "" && !hostname.includes(",") && !pathname.includes("@") && hash === "";
}

const PostgresUrl = z
  .string()
  .refine(
    isPostgresUrl,
    "must be postgres://user:password@host:port/database, with one host; percent-encode special characters, and a socket's folder as the host",
  );

/** The console lies at the root of its host. */
const PublicUrl = z
  .url({ protocol: /^https?$/, error: "must be an http or https URL" })
  .transform((text) => new URL(text))
  .refine(({ pathname, search, hash }) => pathname + search + hash === "/", "must be a host's address, with nothing behind it")
  .transform(({ origin }) => origin);

/** User and password are decoded only when the first mail goes. */
function isMailUrl(text: string): boolean {
  if (!/^smtps?:\/\//.test(text) || !URL.canParse(text)) return false;
  const { hostname, username, password } = new URL(text);
  try {
    decodeURIComponent(`${username}:${password}`);
    return hostname !== "";
  } catch {
    return false;
  }
}

const MailUrl = z
  .string()
  .refine(isMailUrl, "must be smtp://host or smtps://user:password@host:port; percent-encode special characters in user and password");

const roleNames = ["api", "worker", "scheduler"] as const;
type ProcessRole = (typeof roleNames)[number];

const List = z.string().transform((text) =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== ""),
);

const AllowEntries = List.superRefine((entries, context) => {
  try {
    parseAllowList(entries);
  } catch (error) {
    context.addIssue(error instanceof Error ? error.message : "must be hosts or networks");
  }
});

const isNetwork = (text: string): boolean => isIP(text) !== 0 || ipaddr.isValidCIDR(text);
const Networks = List.pipe(z.array(z.string().refine(isNetwork, "must be addresses or networks, such as 10.0.0.0/8")));

const samplerNames = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;

const OtlpHeaders = List.transform((pairs, context) => {
  const headers: Record<string, string> = {};
  for (const pair of pairs) {
    const [name = "", ...value] = pair.split("=");
    try {
      headers[name.trim()] = decodeURIComponent(value.join("=").trim());
    } catch {
      context.addIssue("must be name=value, values percent-encoded");
    }
    if (!/^[\w-]+$/.test(name.trim()) || value.length === 0) context.addIssue("must be name=value, values percent-encoded");
  }
  return headers;
});

/** Every setting of the server, in the order of docs/configuration.md, which is generated from this table. */
export const settings = {
  CROSSDOCK_PORT: setting({ schema: WholeNumber(0, 65_535), default: "8080", description: "Port of console and API. 0 picks a free one." }),
  CROSSDOCK_HOST: setting({
    schema: z.string().min(1),
    default: "127.0.0.1",
    description: "Address to listen on. The default serves this machine only; `0.0.0.0` serves the network, then put TLS in front.",
  }),
  CROSSDOCK_PUBLIC_URL: setting({
    schema: PublicUrl.optional(),
    default: null,
    description:
      "URL under which people reach the console, when a proxy stands in front: scheme, host and port. With https the session cookie is sent over TLS only.",
  }),
  CROSSDOCK_TRUST_PROXY: setting({
    schema: Networks,
    default: "",
    description: "Addresses or networks (comma-separated) of proxies whose `X-Forwarded-For` is believed.",
  }),
  CROSSDOCK_ROLES: setting({
    schema: List.pipe(z.array(z.enum(roleNames, { error: `must be a comma-separated choice of ${roleNames.join(", ")}` })).min(1)),
    default: "api,worker,scheduler",
    description:
      "What this process does. `api` serves console, API and gateway, `worker` delivers, `scheduler` runs the maintenance. Any number of each may share one database.",
  }),
  CROSSDOCK_DATA_DIR: setting({
    schema: z.string().min(1),
    default: ".crossdock",
    description: "Folder of the embedded database and the secret key; relative to the working directory.",
  }),
  DATABASE_URL: setting({
    schema: PostgresUrl.optional(),
    default: null,
    isSecret: true,
    description:
      "PostgreSQL 16 or newer, as a role that may create roles and schemas; used for migrations. Absent: an embedded PostgreSQL 18 under the data folder.",
  }),
  DATABASE_APP_URL: setting({
    schema: PostgresUrl.optional(),
    default: null,
    isSecret: true,
    description:
      "Connection of the role `crossdock_app`, to PostgreSQL itself: a pooler such as PgBouncer is refused, see [Running it](running.md). Absent: DATABASE_URL with a derived password.",
  }),
  DATABASE_WORKER_URL: setting({
    schema: PostgresUrl.optional(),
    default: null,
    isSecret: true,
    description: "Connection of the role `crossdock_worker`. Absent: DATABASE_URL with a derived password.",
  }),
  DATABASE_POOL_SIZE: setting({
    // Three of them listen.
    schema: WholeNumber(5, 200),
    default: "16",
    description: "Connections of each pool of this process at most.",
  }),
  CROSSDOCK_SECRET: setting({
    schema: z.string().min(32, "must have at least 32 characters").optional(),
    default: null,
    isSecret: true,
    description:
      "Secret from which the keys of tokens, stored credentials and database roles derive. The same in every process, which the database checks. Absent: `secret.key` in the data folder (mode 0600), made at first start.",
  }),
  CROSSDOCK_CREDENTIAL_KEYS: setting({
    schema: List.pipe(z.array(z.string().min(32, "each must have at least 32 characters"))),
    default: "",
    isSecret: true,
    description:
      "Secrets (comma-separated) from which the keys of stored credentials derive: the first seals, the others still open. Absent: CROSSDOCK_SECRET, and what `npm run rotate-keys` has made since in `credential.keys` of the data folder (mode 0600).",
  }),
  CROSSDOCK_ADMIN_EMAIL: setting({
    schema: z
      .string()
      .trim()
      .toLowerCase()
      .regex(/^[^@\s]+@[^@\s]+$/, "must be an email address"),
    default: "admin@crossdock.local",
    description: "Sign-in of the first admin, made when there is no user yet.",
  }),
  CROSSDOCK_ADMIN_PASSWORD: setting({
    schema: z.string().min(10, "must have at least 10 characters").optional(),
    default: null,
    isSecret: true,
    description:
      "Password of the first admin; given at a later start, it replaces a forgotten one and ends its sessions. Absent: one is generated and printed once.",
  }),
  CROSSDOCK_SIGN_UP: setting({
    schema: Flag,
    default: "1",
    description:
      "1 lets people sign up by themselves; they become viewers without a tenant, until an admin grants more. 0: by invitation only.",
  }),
  CROSSDOCK_TELL_REGISTERED: setting({
    schema: Flag,
    default: "0",
    description:
      "1 tells whoever signs up when the address has an account already. 0 says so in a mail to that address only, so that strangers can't find out who has one.",
  }),
  CROSSDOCK_OIDC: setting({
    schema: Providers,
    default: "[]",
    isSecret: true,
    description:
      "Other sign-in providers (OpenID Connect: firebase, aws_cognito, auth0, any issuer) as a JSON list, see [Signing in](signing-in.md). Needs CROSSDOCK_PUBLIC_URL, to which they return.",
  }),
  SMTP_URL: setting({
    schema: MailUrl.optional(),
    default: null,
    isSecret: true,
    description:
      "Mail server, e.g. `smtps://user:password@mail.example.com`. With smtp:// TLS is used when the server offers it; `?requireTLS=true` insists. Absent: admins find the mails in the console.",
  }),
  CROSSDOCK_MAIL_FROM: setting({
    schema: z
      .string()
      .regex(/^[^<>\r\n]*<[^@\s<>]+@[^@\s<>]+>$|^[^@\s<>]+@[^@\s<>]+$/, "must be an email address, or a name and one in <>"),
    default: "Crossdock <no-reply@crossdock.local>",
    description: "Sender of the mails.",
  }),
  CROSSDOCK_DEMO: setting({
    schema: Flag,
    default: "1",
    description: "1 fills a demo workspace and keeps data flowing through it; 0 starts empty.",
  }),
  CROSSDOCK_DEMO_PORT: setting({
    schema: WholeNumber(1, 65_535),
    default: "8090",
    description:
      "Port of the sandbox that plays the demo workspace's commerce systems. With the demo on, deliveries may reach it on this machine.",
  }),
  CROSSDOCK_ENVIRONMENT: setting({
    schema: z.string().min(1).max(40),
    default: "Development",
    description: "Name that the console's header shows: `Development` reads localhost, `Production` prod, anything else as it is.",
  }),
  CROSSDOCK_EGRESS_ALLOW: setting({
    schema: AllowEntries,
    default: "",
    description:
      "Hosts, `host:port` or networks (comma-separated, e.g. `10.1.0.0/16,erp.internal`) in private or loopback ranges that deliveries may reach. Public addresses are always allowed.",
  }),
  CROSSDOCK_SERVICE_ALLOW: setting({
    schema: AllowEntries,
    default: "",
    description:
      "The same for what this environment names itself: hosts, `host:port` or networks in private or loopback ranges at which the mail server (`SMTP_URL`), sign-in providers (`CROSSDOCK_OIDC`) and the traces' collector (`OTEL_EXPORTER_OTLP_ENDPOINT`) may be, e.g. `localhost:25`. Deliveries don't reach them by this.",
  }),
  CROSSDOCK_WORKER_CONCURRENCY: setting({
    schema: WholeNumber(1, 2000),
    default: "64",
    description: "Deliveries in flight at most in one worker process.",
  }),
  CROSSDOCK_BODY_LIMIT_MB: setting({
    schema: WholeNumber(1, 64),
    default: "8",
    description: "Largest body of a single message in megabytes. NDJSON batches are streamed and have no such limit.",
  }),
  CROSSDOCK_RATE_LIMIT: setting({
    schema: WholeNumber(10, 1_000_000),
    default: "6000",
    description:
      "API requests a minute and address at most, refused ones included. Of the gateway's, those with an unknown API key are counted, apart; webhooks are not.",
  }),
  CROSSDOCK_RETENTION_DAYS: setting({
    schema: WholeNumber(1, 3650),
    default: "30",
    description: "Days that finished messages, attempts and external messages are kept.",
  }),
  CROSSDOCK_AUDIT_RETENTION_DAYS: setting({
    schema: WholeNumber(30, 36_500),
    default: "365",
    description: "Days that audit events are kept. Nobody can remove younger ones; what is older, the scheduler removes.",
  }),
  CROSSDOCK_MAINTENANCE: setting({
    schema: Flag,
    default: "0",
    description:
      "1 answers the API with 503 `maintenance`, and the console shows its maintenance page until that ends. Gateway, webhooks, deliveries and health go on, so nothing is lost; the demo rests.",
  }),
  CROSSDOCK_METRICS_PORT: setting({
    schema: WholeNumber(0, 65_535).optional(),
    default: null,
    description:
      "Port on which this process, whatever its roles, answers probes at `/healthz` and `/readyz`, see [Running it](running.md#probes), and tells Prometheus its metrics at `/metrics`, see [Metrics and traces for machines](monitoring.md). 0 picks a free one. Absent: none.",
  }),
  CROSSDOCK_METRICS_HOST: setting({
    schema: z.string().min(1),
    default: "127.0.0.1",
    description: "Address of that port. Any other than this machine's own (`127.0.0.1`, `::1`, `localhost`) needs CROSSDOCK_METRICS_TOKEN.",
  }),
  CROSSDOCK_METRICS_TOKEN: setting({
    schema: z.string().min(16, "must have at least 16 characters").optional(),
    default: null,
    isSecret: true,
    description: "Bearer token without which the metrics are refused. The probes need none.",
  }),
  CROSSDOCK_METRICS_QUEUES: setting({
    schema: WholeNumber(0, 100_000),
    default: "1000",
    description: "Queues that have series of their own in the metrics, the oldest first. The rest of a tenant is one more, named `other`.",
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: setting({
    schema: z.url({ protocol: /^https?$/, error: "must be an http or https URL" }).optional(),
    default: null,
    description:
      "OpenTelemetry collector that takes traces (OTLP over HTTP, protobuf, at `/v1/traces` below this URL), see [Metrics and traces for machines](monitoring.md). Absent: no traces.",
  }),
  OTEL_EXPORTER_OTLP_HEADERS: setting({
    schema: OtlpHeaders,
    default: "",
    isSecret: true,
    description: "Headers that the collector wants, as `name=value,name=value`, values percent-encoded.",
  }),
  OTEL_SERVICE_NAME: setting({ schema: z.string().min(1), default: "crossdock", description: "Name of this installation in traces." }),
  OTEL_TRACES_SAMPLER: setting({
    schema: z.enum(samplerNames, { error: `must be one of ${samplerNames.join(", ")}` }),
    default: "parentbased_always_on",
    description: `Which messages are traced: one of ${samplerNames.map((name) => `\`${name}\``).join(", ")}. With \`parentbased_\` a sender that traces decides for its own.`,
  }),
  OTEL_TRACES_SAMPLER_ARG: setting({
    schema: z
      .string()
      .regex(/^(0|1|[01]?\.\d+)$/, "must be a number from 0 to 1")
      .transform(Number)
      .pipe(z.number().max(1, "must be a number from 0 to 1")),
    default: "1",
    description: "Share of messages that are traced, for the samplers with `traceidratio`.",
  }),
  CROSSDOCK_LOG_LEVEL: setting({
    schema: z.enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"]),
    default: "info",
    description: "Log lines of this weight and above, as JSON on standard error, for people where that is a terminal.",
  }),
};

type Values = { [Name in keyof typeof settings]: z.output<(typeof settings)[Name]["schema"]> };

/** The settings by their plain names, as the code reads them. */
export type Config = ReturnType<typeof toConfig>;

/** Read by the set-up script, not by the server. */
const foreignNames = new Set(["CROSSDOCK_CHROMIUM"]);

/** Reads all settings. Throws one StartError that names every wrong setting with the reason, and unknown ones, which are likely typing errors. */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, { schema, default: fallback, isSecret }] of Object.entries(settings)) {
    const text = environment[name] === "" ? undefined : environment[name];
    const result = schema.safeParse(text ?? fallback ?? undefined);
    if (result.success) values[name] = result.data;
    else
      problems.push(
        `${name}${isSecret || text === undefined ? "" : `=${text}`}: ${result.error.issues.map((issue) => issue.message).join("; ")}`,
      );
  }
  for (const name of Object.keys(environment)) {
    if (name.startsWith("CROSSDOCK_") && !(name in settings) && !foreignNames.has(name)) problems.push(`${name}: there is no such setting`);
  }
  if (problems.length === 0 && toConfig(values as Values).providers.length > 0 && values["CROSSDOCK_PUBLIC_URL"] === undefined)
    problems.push("CROSSDOCK_OIDC: needs CROSSDOCK_PUBLIC_URL, to which the providers return");
  if (problems.length === 0 && isMetricsOpen(toConfig(values as Values)))
    problems.push("CROSSDOCK_METRICS_HOST: others than this machine can reach it, so CROSSDOCK_METRICS_TOKEN is needed");
  if (problems.length > 0)
    throw new StartError(`Wrong settings (see docs/configuration.md):\n${problems.map((line) => `  ${line}`).join("\n")}`);
  return toConfig(values as Values);
}

/** Whether anyone in the network could read the metrics. */
function isMetricsOpen({ metricsPort, metricsHost, metricsToken }: Config): boolean {
  return metricsPort !== null && metricsToken === null && !["127.0.0.1", "::1", "localhost"].includes(metricsHost);
}

/** As people may write its address. */
const namesOfSandbox = (port: number): string[] => [`127.0.0.1:${port}`, `localhost:${port}`];

function toConfig(values: Values) {
  return {
    port: values.CROSSDOCK_PORT,
    host: values.CROSSDOCK_HOST,
    publicUrl: values.CROSSDOCK_PUBLIC_URL ?? null,
    trustProxy: values.CROSSDOCK_TRUST_PROXY,
    roles: new Set<ProcessRole>(values.CROSSDOCK_ROLES),
    dataDir: values.CROSSDOCK_DATA_DIR,
    databaseUrl: values.DATABASE_URL ?? null,
    databaseAppUrl: values.DATABASE_APP_URL ?? null,
    databaseWorkerUrl: values.DATABASE_WORKER_URL ?? null,
    databasePoolSize: values.DATABASE_POOL_SIZE,
    secret: values.CROSSDOCK_SECRET ?? null,
    credentialKeys: values.CROSSDOCK_CREDENTIAL_KEYS,
    adminEmail: values.CROSSDOCK_ADMIN_EMAIL,
    adminPassword: values.CROSSDOCK_ADMIN_PASSWORD ?? null,
    isSignUpOpen: values.CROSSDOCK_SIGN_UP,
    tellsRegistered: values.CROSSDOCK_TELL_REGISTERED,
    providers: values.CROSSDOCK_OIDC,
    smtpUrl: values.SMTP_URL ?? null,
    mailFrom: values.CROSSDOCK_MAIL_FROM,
    isDemo: values.CROSSDOCK_DEMO,
    environment: values.CROSSDOCK_ENVIRONMENT,
    demoPort: values.CROSSDOCK_DEMO_PORT,
    egressAllow: [...values.CROSSDOCK_EGRESS_ALLOW, ...(values.CROSSDOCK_DEMO ? namesOfSandbox(values.CROSSDOCK_DEMO_PORT) : [])],
    serviceAllow: values.CROSSDOCK_SERVICE_ALLOW,
    workerConcurrency: values.CROSSDOCK_WORKER_CONCURRENCY,
    bodyLimitBytes: values.CROSSDOCK_BODY_LIMIT_MB * 1024 * 1024,
    rateLimitPerMinute: values.CROSSDOCK_RATE_LIMIT,
    retentionDays: values.CROSSDOCK_RETENTION_DAYS,
    auditRetentionDays: values.CROSSDOCK_AUDIT_RETENTION_DAYS,
    isUnderMaintenance: values.CROSSDOCK_MAINTENANCE,
    metricsPort: values.CROSSDOCK_METRICS_PORT ?? null,
    metricsHost: values.CROSSDOCK_METRICS_HOST,
    metricsToken: values.CROSSDOCK_METRICS_TOKEN ?? null,
    metricsQueuesMax: values.CROSSDOCK_METRICS_QUEUES,
    otel: {
      endpoint: values.OTEL_EXPORTER_OTLP_ENDPOINT ?? null,
      headers: values.OTEL_EXPORTER_OTLP_HEADERS,
      serviceName: values.OTEL_SERVICE_NAME,
      sampler: values.OTEL_TRACES_SAMPLER,
      samplerRatio: values.OTEL_TRACES_SAMPLER_ARG,
    },
    logLevel: values.CROSSDOCK_LOG_LEVEL,
  };
}
