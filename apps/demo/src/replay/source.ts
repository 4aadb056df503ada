import type { EntityType } from "@crossdock/contract";

/** A canonical document that must arrive, computed from the file by this program's own rules, not by the server's translation. */
export type ExpectedDocument = { entityType: EntityType; key: string; document: Record<string, unknown> };

/** One raw message for the gateway and what must become of it: these documents, or a rejection. */
export type SourceMessage = { label: string; json: string; expected: ExpectedDocument[] | "rejected" };

/** A recognised file, ready to be replayed. */
export type Source = {
  /** What the file is, e.g. `UCI Online Retail`. */
  name: string;
  /** Code for the subtenant and the integration points. */
  code: string;
  entityTypes: EntityType[];
  /** The gateway entity type under which raw messages are posted. */
  posts: EntityType;
  /** JSONata: raw message in, canonical documents out. */
  translation: string;
  messages: () => AsyncIterable<SourceMessage>;
};

/** Text without blanks at its ends, or null where nothing is left. Inner blanks stay as they are. */
export function trimmed(text: string | undefined): string | null {
  const result = (text ?? "").trim();
  return result === "" ? null : result;
}
