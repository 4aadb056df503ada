export type { Behaviour, Mode } from "./behaviour.ts";
export type { Counts, Receipt, ReceiptFilter } from "./ledger.ts";
export { type Sandbox, startSandbox } from "./sandbox.ts";
