export type QueueErrorCode =
  | "unknown-target"
  | "unknown-queue"
  | "mode-fixed"
  | "mixed-tenants"
  | "nul-character"
  | "payload-filter-invalid"
  | "stopped";

/** What the engine refuses; everything else thrown comes from the database driver. */
export class QueueError extends Error {
  readonly code: QueueErrorCode;
  constructor(code: QueueErrorCode, message: string) {
    super(message);
    this.name = "QueueError";
    this.code = code;
  }
}

/** What a statement threw; that it names a queue which does not exist (a foreign key, SQLSTATE 23503) as QueueError 'unknown-queue'. */
export function unknownQueueOr(error: unknown): unknown {
  const isUnknown = error instanceof Error && "code" in error && error.code === "23503";
  return isUnknown ? new QueueError("unknown-queue", error.message) : error;
}
