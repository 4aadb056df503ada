import { findNewer } from "@crossdock/queue";
import type pg from "pg";
import { ApiError } from "../errors/errors.ts";
import { because } from "../errors/faults.ts";

/** Throws conflict where newer data of the object would be overwritten by a message that is sent again, or by its copy. */
export async function refuseOutdated(client: pg.ClientBase, wanted: Parameters<typeof findNewer>[1]): Promise<void> {
  const newer = await findNewer(client, wanted);
  if (newer !== null) throw new ApiError("conflict", because("message-outdated", { messageId: newer }));
}
