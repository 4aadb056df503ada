import { z } from "zod";
import { Providers } from "./session/provider-config.ts";
import { AllowEntries, Flag, List, MailUrl, Networks, OtlpHeaders, PostgresUrl, PublicUrl, WholeNumber } from "./setting-values.ts";

/** One setting: how its text is read, what holds when it is absent, and what a person needs to know of it. */
type Setting<Schema extends z.ZodType> = { schema: Schema; default: string | null; description: string; isSecret?: boolean };

const setting = <Schema extends z.ZodType>(definition: Setting<Schema>): Setting<Schema> => definition;

/** Variables that the server does not read and lets pass: whoever works on Crossdock sets them for its other programs. */
export const foreignNames: Record<string, string> = {
  CROSSDOCK_CHROMIUM: "the browser of the browser tests",
  CROSSDOCK_DATA: "the folder of real payloads and catalogues that some tests and benchmarks read",
  CROSSDOCK_TOKEN: "an administrator's token, for `npm run replay`",
  CROSSDOCK_URL: "where Crossdock runs, for `npm run replay` and the console's development server",
};

const roleNames = ["api", "worker", "scheduler"] as const;
export type ProcessRole = (typeof roleNames)[number];

const samplerNames = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;

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
  CROSSDOCK_STOP_DELAY_SECONDS: setting({
    schema: WholeNumber(0, 300),
    default: "0",
    description:
      "How long a process with the role `api` that is told to stop goes on working while `/readyz` says that it is not ready, for balancers that need some time to see that, see [Running it](running.md#probes).",
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
      "Connection of the role `crossdock_app`, to PostgreSQL itself: a pooler such as PgBouncer is refused, see [Running it](running.md). Every start sets the role's password to the one that `npm run --silent database-url -- app` prints, so a URL names that one or none. Absent: DATABASE_URL with it.",
  }),
  DATABASE_WORKER_URL: setting({
    schema: PostgresUrl.optional(),
    default: null,
    isSecret: true,
    description: "The same for the role `crossdock_worker`, whose password `npm run --silent database-url -- worker` prints.",
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
      "Hosts, `host:port` or networks (comma-separated, e.g. `10.1.0.0/16,erp.internal`) in private or loopback ranges that deliveries may reach. Public addresses are always allowed. A host that only `/etc/hosts` or a search domain knows has to be named here: of all others the name servers are asked.",
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
      "API requests a minute and address at most, refused ones included; each process counts for itself, so that two with the role `api` take up to twice as many. Of the gateway's, those with an unknown API key are counted, apart; webhooks are not.",
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
