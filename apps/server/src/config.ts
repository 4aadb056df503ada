import type { z } from "zod";
import { foreignNames, settings, type ProcessRole } from "./settings.ts";
import { StartError } from "./installation/start-error.ts";

type Values = { [Name in keyof typeof settings]: z.output<(typeof settings)[Name]["schema"]> };

/** The settings by their plain names, as the code reads them. */
export type Config = ReturnType<typeof toConfig>;

/** Reads all settings. Throws one StartError that names every wrong setting with the reason, and unknown ones, which are likely typing errors. */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, { schema, default: fallback, isSecret }] of Object.entries(settings)) {
    const text = environment[name] === "" ? undefined : environment[name];
    const result = schema.safeParse(text ?? fallback ?? undefined);
    if (result.success) values[name] = result.data;
    else problems.push(`${name}${isSecret || text === undefined ? "" : `=${text}`}: ${result.error.issues.map(told).join("; ")}`);
  }
  for (const name of Object.keys(environment)) {
    if (name.startsWith("CROSSDOCK_") && !(name in settings) && !(name in foreignNames)) problems.push(`${name}: there is no such setting`);
  }
  if (problems.length === 0 && toConfig(values as Values).providers.length > 0 && values["CROSSDOCK_PUBLIC_URL"] === undefined)
    problems.push("CROSSDOCK_OIDC: needs CROSSDOCK_PUBLIC_URL, to which the providers return");
  if (problems.length === 0 && isMetricsOpen(toConfig(values as Values)))
    problems.push("CROSSDOCK_METRICS_HOST: others than this machine can reach it, so CROSSDOCK_METRICS_TOKEN is needed");
  if (problems.length > 0)
    throw new StartError(`Wrong settings (see docs/configuration.md):\n${problems.map((line) => `  ${line}`).join("\n")}`);
  return toConfig(values as Values);
}

/** With its place within a document. In a list of words the value beside it says enough. */
const told = ({ path, message }: z.core.$ZodIssue): string => (path.length < 2 ? message : `${path.join(".")}: ${message}`);

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
    stopDelayMs: values.CROSSDOCK_STOP_DELAY_SECONDS * 1000,
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
