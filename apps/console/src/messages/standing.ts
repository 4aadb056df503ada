import type { Message } from "@crossdock/contract";

type Standing = Pick<Message, "id" | "queueId" | "state">;

/** Of `messages`, newest first, the last one to each target, and before it what holds it up. */
export function standingOf<Sent extends Standing>(messages: readonly Sent[]): Sent[] {
  return [...Map.groupBy(messages, ({ queueId }) => queueId).values()].flatMap(([newest, ...older]) => {
    if (!newest) return [];
    const holding = newest.state === "parked" ? older.filter(({ state }) => state === "dead" || state === "retrying") : [];
    return [...holding, newest];
  });
}
