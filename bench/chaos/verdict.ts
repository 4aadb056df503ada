import type { Receipt } from "../../apps/demo/src/sandbox-client.ts";

export type Verdict = {
  delivered: number;
  /** Acknowledged, and never arrived. */
  lost: number;
  /** An older version of a key arrived for the first time after a newer one. */
  outOfOrder: number;
  /** Arrived more than once with one message id: what at-least-once allows, and a receiver recognises by the id. */
  repeated: number;
  /** Of these: by whose kill they came, which is the one nearest to their first arrival. */
  repeatedAfterKillOf: Record<string, number>;
  /** Of these: came after a newer version, because a killed worker had delivered several of a lane and settled none of them. */
  repeatedAfterNewer: number;
  /** One version of one key under two message ids: the client's repeat made a second message. */
  publishedTwice: number;
  /** The first few of what is not as it must be. */
  samples: string[];
};

/** `at`: milliseconds since 1970. */
export type Kill = { victim: string; at: number };

const samplesMax = 10;

/** Compares what was acknowledged with what the target received, in its order of arrival. */
export async function judge(
  acknowledged: ReadonlyMap<string, readonly number[]>,
  receipts: AsyncIterable<Receipt>,
  kills: readonly Kill[] = [],
): Promise<Verdict> {
  const idsByVersion = new Map<string, string>();
  const arrivedAt = new Map<string, number>();
  const newest = new Map<string, number>();
  const verdict: Verdict = {
    delivered: 0,
    lost: 0,
    outOfOrder: 0,
    repeated: 0,
    repeatedAfterKillOf: {},
    repeatedAfterNewer: 0,
    publishedTwice: 0,
    samples: [],
  };
  const show = (text: string): void => void (verdict.samples.length < samplesMax && verdict.samples.push(text));
  for await (const { sequence, at, key, messageId, body } of receipts) {
    const version = versionOf(body ?? "");
    const isOlder = version < (newest.get(key) ?? 0);
    newest.set(key, Math.max(version, newest.get(key) ?? 0));
    const name = `${key} ${version}`;
    const earlier = idsByVersion.get(name);
    if (earlier === undefined) {
      idsByVersion.set(name, messageId ?? "");
      arrivedAt.set(name, at);
      verdict.delivered += 1;
      if (isOlder) {
        verdict.outOfOrder += 1;
        show(`${name} (message ${messageId}) first came as receipt ${sequence}, after version ${newest.get(key)}`);
      }
    } else if (earlier === messageId) {
      verdict.repeated += 1;
      const victim = nearest(kills, arrivedAt.get(name) ?? 0);
      verdict.repeatedAfterKillOf[victim] = (verdict.repeatedAfterKillOf[victim] ?? 0) + 1;
      if (isOlder) verdict.repeatedAfterNewer += 1;
    } else verdict.publishedTwice += 1;
  }
  for (const [key, versions] of acknowledged) {
    for (const version of versions) {
      if (idsByVersion.has(`${key} ${version}`)) continue;
      verdict.lost += 1;
      show(`${key} ${version} never came`);
    }
  }
  return verdict;
}

/** A kill of the api server ends no delivery. */
function nearest(kills: readonly Kill[], at: number): string {
  const suspects = kills.filter(({ victim }) => victim !== "api");
  const distance = (kill: Kill): number => Math.abs(kill.at - at);
  return suspects.toSorted((one, other) => distance(one) - distance(other))[0]?.victim ?? "nobody";
}

function versionOf(body: string): number {
  const document: unknown = JSON.parse(body);
  return typeof document === "object" && document !== null && "note" in document ? Number(document.note) : 0;
}
