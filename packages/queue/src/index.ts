export { QueueError, type QueueErrorCode } from "./errors.ts";
export type * from "./model.ts";
export { lockTargets, reserveRate, saveTarget, targets, tryCircuit, type Target, type TargetSettings } from "./targets.ts";
export { saveQueue, type QueueSettings } from "./queues.ts";
export { publish } from "./publish.ts";
export { claim, claimAgain, extend, settle, untilDue, type Claim } from "./pull.ts";
export { deadOfGroup, lockMessages, purgeQueue, remove, removeDead, requeueDead, restore, retryNow } from "./operate.ts";
export { findPassed, lockDead, readDead, replaceLocked, type DeadDocument, type ReplacedMessage } from "./replace-dead.ts";
export { findOvertaken, redirectMessages, type Redirected } from "./redirect-messages.ts";
export { replaceMessage, type Replacement } from "./replace-message.ts";
export { countMessages, listMessages, type MessagePage, type MessageSummary } from "./list-messages.ts";
export { firstIdOf, type MessageFilter } from "./message-filter.ts";
export { parsePayloadFilter, parsePayloadPath, toJsonPath, type PathStep, type PayloadFilter } from "./payload-filter.ts";
export { nextScanSize, scanFound, scanMessages, scanSizeMin, type RunStep, type ScanRequest, type ScanStep } from "./scan-messages.ts";
export { isIndexed, wordsOf } from "./search-words.ts";
export { findKeys, findMissingKeys } from "./find-keys.ts";
export { inPortions, type CheckCount } from "./in-portions.ts";
export { findMessages, findOrigins, locateMessages, removedBy, statesOf, supersededOf } from "./find-messages.ts";
export {
  getMessage,
  getMessages,
  laneOf,
  listAttemptNotes,
  listAttempts,
  readDocuments,
  type AttemptNote,
  type AttemptRecord,
  type MessageDetail,
} from "./get-message.ts";
export { deadGroups, deadNeighbours, listDead, listRetrying, type DeadGroup, type DeadNeighbour } from "./failures.ts";
export { groupsOfFound, matchingDeadGroups, type MatchingDeadGroups } from "./matching-dead-groups.ts";
export { countReady, queueDepths, type QueueDepth } from "./queue-depths.ts";
export {
  countWaiting,
  dropExpired,
  fillSearch,
  foldDeaths,
  promoteRetries,
  rescueLeases,
  rollPartitions,
  sweepShards,
  tryCircuits,
} from "./maintenance.ts";
export { pruneAttempts, pruneFinished, pruneRemoved } from "./prune-finished.ts";
export { createPublisher, type Publisher } from "./publisher.ts";
export { findNewer, newestDelivered, nextReady, type DeliveredMessage } from "./next-ready.ts";
export { publishStream } from "./publish-stream.ts";
export { listen, type Listener, type ListenOptions } from "./listen.ts";
export { parseHeaders } from "./delivery.ts";
export { createWorker, type Worker, type WorkerEvent, type WorkerOptions } from "./worker.ts";
export { createMaintenance, upkeepJobs, type Maintenance, type MaintenanceOptions, type UpkeepJob } from "./create-maintenance.ts";
