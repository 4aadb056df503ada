export { QueueError, type QueueErrorCode } from "./errors.ts";
export type * from "./model.ts";
export { saveTarget, targets, type Target, type TargetSettings } from "./targets.ts";
export { saveQueue, type QueueSettings } from "./queues.ts";
export { publish } from "./publish.ts";
export { claim, claimAgain, extend, settle, type Claim } from "./pull.ts";
export { purgeQueue, remove, requeueDead, requeueDeadGroup, restore, retryNow, settleRedirected } from "./operate.ts";
