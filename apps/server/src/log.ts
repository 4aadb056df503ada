import { pino, type DestinationStream, type Logger } from "pino";

/**
 * JSON lines on standard error. Headers, bodies and URLs with their query are never logged: they carry secrets and customers' data.
 * The list below is the net under that rule.
 */
export function createLogger(level: string, destination: DestinationStream = pino.destination(2)): Logger {
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
