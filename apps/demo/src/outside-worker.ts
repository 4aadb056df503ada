import { z } from "zod";
import { connectorCatalogue } from "@crossdock/contract";
import type { Random } from "./random.ts";
import { codeOf, type Workplace } from "./workspace.ts";

const Leased = z.object({ messages: z.array(z.looseObject({ id: z.string(), leaseToken: z.string() })) });

/** Plays the worker of a pull integration point: takes a few messages, acknowledges most and hands some back. */
export async function fetchSome(url: string, { subtenant, key }: Workplace, random: Random): Promise<void> {
  const point = subtenant.points.find(({ deliveryMode }) => deliveryMode === "pull");
  const endpoint = point && connectorCatalogue[point.connector].endpoints.find(({ entityType }) => point.targetTypes?.includes(entityType));
  if (point === undefined || endpoint === undefined) return;
  const base = `${connectorCatalogue[point.connector].basePath}/${endpoint.path}`;
  const place = `subtenant=${subtenant.code}&integrationPoint=${codeOf(subtenant, point)}`;
  const headers = { "x-api-key": key, "content-type": "application/json" };
  const answer = await fetch(`${url}${base}/next?${place}&max=25`, { headers });
  if (answer.status !== 200) {
    await answer.body?.cancel();
    return;
  }
  for (const { id, leaseToken } of Leased.parse(await answer.json()).messages) {
    const isTaken = random.chance(0.97);
    const body = isTaken ? { leaseToken } : { leaseToken, isRetryable: true, reason: "the scanner in aisle 4 is offline" };
    const settled = await fetch(`${url}${base}/${id}/${isTaken ? "ack" : "nack"}?${place}`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    await settled.body?.cancel();
  }
}
