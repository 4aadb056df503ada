import { type Verdict, dead } from "./connector.ts";

/** Two customers of ours would be one there, and take turns in overwriting each other. */
export function unlessAnothers(key: string, externalId: string, update: () => Verdict): Verdict {
  const message = (other: string) =>
    `the target's customer that looks like ${key} is ${other}: both have the same e-mail address or phone number there, and ${key} would be written over ${other}`;
  return { kind: "found", externalId, ours: update, theirs: (other) => dead("shared", message(other)) };
}

/** The first of these objects of the target that is no other key's of ours; null where each is, or there is none. */
export function firstOfOurs(externalIds: readonly string[], then: (externalId: string | null) => Verdict): Verdict {
  const [externalId, ...others] = externalIds;
  if (externalId === undefined) return then(null);
  return { kind: "found", externalId, ours: () => then(externalId), theirs: () => firstOfOurs(others, then) };
}
