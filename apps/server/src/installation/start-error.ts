import pg from "pg";
import { codeOf } from "../errors/errors.ts";

/** Why a program does not start, for whoever started it: a sentence that names what to change. It is shown without a stack. */
export class StartError extends Error {
  override name = "StartError";
}

/** Does a step that fails for reasons outside of this program; then throws `sentence` with what the system or the database said. */
export async function orStartError<Result>(sentence: string, step: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await step();
  } catch (cause) {
    if (cause instanceof StartError) throw cause;
    throw new StartError(`${sentence}: ${messageOf(cause)}`, { cause });
  }
}

/** Listens by `step`; what keeps it from that is told with the settings that choose the address. */
export async function orCannotListen<Result>(
  { host, port, settings }: { host: string; port: number; settings: "CROSSDOCK" | "CROSSDOCK_METRICS" },
  step: () => Promise<Result>,
): Promise<Result> {
  try {
    return await step();
  } catch (cause) {
    const reason =
      codeOf(cause) === "EADDRINUSE"
        ? `Port ${port} is taken by another program. Choose another with ${settings}_PORT.`
        : `Nobody can be served at ${host}, port ${port} (${messageOf(cause)}). Choose with ${settings}_HOST and ${settings}_PORT.`;
    throw new StartError(reason, { cause });
  }
}

/** Where a name has several addresses, the error of them all has no message of its own. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return messageOf(error.errors[0]);
  if (!(error instanceof Error) || error.message === "") return codeOf(error) || String(error);
  // What the database refuses, it explains there.
  return error instanceof pg.DatabaseError && error.detail ? `${error.message} (${error.detail})` : error.message;
}

/** Ends the process: reasons that a person can act on are shown as they are, anything else with its stack. */
export function refuse(error: unknown): never {
  if (error instanceof StartError) console.error(error.message);
  else console.error("Crossdock did not start:", error);
  process.exit(1);
}
