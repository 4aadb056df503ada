import { pino, type DestinationStream, type Logger } from "pino";
import { z } from "zod";

/**
 * JSON lines on standard error, on a terminal lines for people. Headers, bodies and URLs with their query are never logged: they carry secrets and customers' data.
 * The list below is the net under that rule.
 */
export function createLogger(level: string, destination: DestinationStream = standardError()): Logger {
  return pino(
    {
      level,
      base: null,
      serializers: { err: describeError },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: ["*.authorization", "*.cookie", "*.password", "*.credentials", "*.secret", "*.headers", "*.body", "*.document"],
    },
    destination,
  );
}

function standardError(): DestinationStream {
  return process.stderr.isTTY ? linesForPeople((line) => process.stderr.write(line)) : pino.destination(2);
}

const LogLine = z.looseObject({ level: z.number(), time: z.string(), msg: z.string().default(""), err: z.unknown().optional() });

/** Takes the log's JSON and writes what a person reads: the local time, warnings and errors by name, what happened, its details, an error's stack. */
export function linesForPeople(write: (text: string) => void): DestinationStream {
  return {
    write: (json) => {
      const { level, time, msg, err, ...details } = LogLine.parse(JSON.parse(json));
      const weight = level > 30 ? `${pino.levels.labels[level] ?? level}: ` : "";
      const told = Object.entries(details).map(([name, value]) => `${name} ${typeof value === "string" ? value : JSON.stringify(value)}`);
      const end = told.length === 0 ? "" : ` (${told.join(", ")})`;
      // A terminal would obey what others wrote into a message.
      write(`${new Date(time).toTimeString().slice(0, 8)} ${weight}${msg}${end}\n${stacks(err)}`.replaceAll(/[^\P{Cc}\n]/gu, "\u{FFFD}"));
    },
  };
}

const DescribedError = z.object({
  message: z.string(),
  stack: z.string().optional(),
  errors: z.array(z.unknown()).default([]),
  cause: z.unknown().optional(),
});

function stacks(error: unknown): string {
  const { data } = DescribedError.safeParse(error);
  if (!data) return "";
  return [`${data.stack ?? data.message}\n`, ...[...data.errors, data.cause].map(stacks)].join("");
}

/** Of errors that are told as one. */
const partsMax = 5;

/** The driver hangs whole clients and details with values onto its errors; only what tells the fault is kept. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack, cause } = error;
  const code = "code" in error ? error.code : undefined;
  const parts = error instanceof AggregateError ? { errors: error.errors.slice(0, partsMax).map(describeError) } : {};
  return { name, code, message, stack, ...parts, ...(cause === undefined ? {} : { cause: describeError(cause) }) };
}

/** Between two lines of the log about one thing that goes on failing. */
export const tellAgainMs = 60_000;

/**
 * Counts the failures of one thing, such as a database that stays away. Returns how many there were since it was told of last, or null where it was
 * told of in the last minute.
 */
export function createTally(): () => number | null {
  let failures = 0;
  let toldAt = -Infinity;
  return () => {
    failures += 1;
    if (performance.now() - toldAt < tellAgainMs) return null;
    const told = failures;
    toldAt = performance.now();
    failures = 0;
    return told;
  };
}
