import { pino, type Logger } from "pino";

/**
 * JSON lines on standard error. Headers, bodies and URLs with their query are never logged: they carry secrets and customers' data.
 * The list below is the net under that rule.
 */
export function createLogger(level: string): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: ["*.authorization", "*.cookie", "*.password", "*.credentials", "*.secret", "*.headers", "*.body", "*.document"],
    },
    pino.destination(2),
  );
}
