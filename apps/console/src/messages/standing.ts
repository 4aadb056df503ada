import type { Message } from "@crossdock/contract";

type Standing = Pick<Message, "id" | "queueId" | "state">;

/** Of `messages`, newest first, the last one to each target that nothing has replaced, and before it what holds it up. */
export function standingOf<Sent extends Standing>(messages: readonly Sent[]): Sent[] {
  return [...Map.groupBy(messages, ({ queueId }) => queueId).values()].flatMap((sent) => {
    const last = sent.find(({ state }) => state !== "superseded") ?? sent[0];
    const holding = last?.state === "parked" ? sent.filter(({ state }) => state === "dead" || state === "retrying") : [];
    return last ? [...holding, last] : [];
  });
}
