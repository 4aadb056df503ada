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
