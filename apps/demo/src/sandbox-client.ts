import { z } from "zod";

const Receipt = z.object({
  sequence: z.number(),
  /** Milliseconds since 1970. */
  at: z.number(),
  entity: z.string(),
  key: z.string(),
  messageId: z.string().nullable(),
  isDuplicate: z.boolean(),
  body: z.string().nullable(),
});
/** One request that a system of the sandbox took. */
export type Receipt = z.infer<typeof Receipt>;

const Page = z.object({ entries: z.array(Receipt), next: z.number().nullable() });
const Counts = z.object({ received: z.number(), refused: z.number(), distinct: z.number(), duplicates: z.number() });
const pageSize = 5000;

/** What one system of the sandbox received, and how it is told to behave. */
export type SandboxSystem = {
  receipts: (entity?: string) => AsyncIterable<Receipt>;
  counts: () => Promise<z.infer<typeof Counts>>;
  behave: (behaviour: {
    mode: string;
    rate?: number;
    retryAfter?: number;
    delayMs?: number;
    only?: string;
    when?: "before" | "after";
    bucket?: { size: number; leakPerSecond: number };
  }) => Promise<void>;
  forget: () => Promise<void>;
};

export function sandboxSystem(url: string, system: string): SandboxSystem {
  const received = `${url}/_received/${system}`;
  return {
    // In pages, so that a million receipts never stand in memory together.
    receipts: async function* (entity) {
      const filter = entity === undefined ? "" : `&entity=${entity}`;
      for (let after: number | null = 0; after !== null;) {
        const page: z.infer<typeof Page> = Page.parse(await ask(`${received}?view=entries&limit=${pageSize}&after=${after}${filter}`));
        yield* page.entries;
        after = page.next;
      }
    },
    counts: async () => Counts.parse(await ask(received)),
    behave: async (behaviour) => void (await ask(`${url}/_control/${system}`, { method: "PUT", body: JSON.stringify(behaviour) })),
    forget: async () => void (await ask(received, { method: "DELETE" })),
  };
}

async function ask(url: string, request: RequestInit = {}): Promise<unknown> {
  const answer = await fetch(url, request);
  if (!answer.ok) throw new Error(`the sandbox answered ${answer.status} to ${url}`);
  return answer.json();
}
