import type pg from "pg";
import type { NewMessage } from "./model.ts";
import { publish } from "./publish.ts";

/**
 * Publishes a stream in batches, each in its own commit, and reads on only when a batch is stored. A batch ends early where the
 * tenant changes. Throws at the first refused batch; what was published before stays.
 */
export async function publishStream(
  pool: pg.Pool,
  messages: AsyncIterable<NewMessage>,
  { batchSize = 1000 }: { batchSize?: number } = {},
): Promise<{ published: number }> {
  let published = 0;
  let batch: NewMessage[] = [];
  const store = async (): Promise<void> => {
    published += (await publish(pool, batch)).length;
    batch = [];
  };
  for await (const message of messages) {
    const isOtherTenant = batch[0] !== undefined && batch[0].tenantId !== message.tenantId;
    if (batch.length >= batchSize || isOtherTenant) await store();
    batch.push(message);
  }
  if (batch.length > 0) await store();
  return { published };
}
