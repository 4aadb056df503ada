import type { EntityType } from "@crossdock/contract";

/** A canonical document that must arrive, computed from the file by this program's own rules, not by the server's translation. */
export type ExpectedDocument = { key: string; document: Record<string, unknown> };

/** What must become of a raw message as one entity type: these documents (none: there is nothing of this type in it), or a rejection. */
export type Expectation = ExpectedDocument[] | "rejected";

/** One raw message for the gateway. It is posted once for each of the source's entity types. */
export type SourceMessage = { label: string; json: string; expected: (entityType: EntityType) => Expectation };

/** A recognised file, ready to be replayed. */
export type Source = {
  /** What the file is, e.g. `UCI Online Retail`. */
  name: string;
  /** Code of the tenant that is made for it. */
  code: string;
  entityTypes: EntityType[];
  /** JSONata for each entity type: raw message in, canonical documents out. */
  translations: Partial<Record<EntityType, string>>;
  /** Reads the file anew at each call; holds a few messages in memory at most. */
  messages: () => AsyncIterable<SourceMessage>;
};

/** What JSONata's `$trim` does: each run of blanks becomes one, and none is left at the ends. */
export function trimmed(text: string | undefined): string {
  return (text ?? "").replaceAll(/[ \t\n\r]+/g, " ").replaceAll(/^ | $/g, "");
}

export function trimmedOrNull(text: string | undefined): string | null {
  const result = trimmed(text);
  return result === "" ? null : result;
}
