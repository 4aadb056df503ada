/** One request that a system took: what a real one would have stored. */
export type Receipt = {
  /** Counts from 1 within the system, in order of arrival. */
  sequence: number;
  /** Milliseconds since 1970. */
  at: number;
  method: string;
  /** What the path names: `items`, `products`. */
  entity: string;
  /** Business key, by the path, the header `x-crossdock-key` or the message id. */
  key: string;
  messageId: string | null;
  /** This message id came to the same method and path before. */
  isDuplicate: boolean;
  /** Null once older bodies had to make room. */
  body: string | null;
};

export type ReceiptFilter = { entity?: string | undefined; key?: string | undefined; after?: number; limit?: number };

export type Counts = {
  system: string;
  received: number;
  /** Requests that were refused or failed on purpose before they were taken. */
  refused: number;
  distinct: number;
  duplicates: number;
  byEntity: Record<string, number>;
};

/** Bodies are dropped, oldest first, beyond this many characters for one system, so that a long run does not fill the memory. */
const bodyCharactersMax = 512 * 1024 * 1024;

export class Ledger {
  readonly #system: string;
  readonly #receipts: Receipt[] = [];
  readonly #byKey = new Map<string, Receipt[]>();
  readonly #identities = new Map<string, number>();
  readonly #byEntity = new Map<string, number>();
  readonly #waiters = new Set<{ count: number; resolve: () => void }>();
  #refused = 0;
  #duplicates = 0;
  #bodyCharacters = 0;
  #oldestBody = 0;

  constructor(system: string) {
    this.#system = system;
  }

  add(request: { method: string; path: string; entity: string; key: string; messageId: string | null; body: string }): Receipt {
    const { method, path, entity, key, messageId, body } = request;
    const identity = messageId === null ? null : `${messageId} ${method} ${path}`;
    const before = identity === null ? 0 : (this.#identities.get(identity) ?? 0);
    if (identity !== null) this.#identities.set(identity, before + 1);
    const isDuplicate = before > 0;
    if (isDuplicate) this.#duplicates += 1;
    const receipt = { sequence: this.#receipts.length + 1, at: Date.now(), method, entity, key, messageId, isDuplicate, body };
    this.#receipts.push(receipt);
    const ofKey = this.#byKey.get(key);
    if (ofKey) ofKey.push(receipt);
    else this.#byKey.set(key, [receipt]);
    this.#byEntity.set(entity, (this.#byEntity.get(entity) ?? 0) + 1);
    this.#makeRoom(body.length);
    for (const waiter of this.#waiters) if (this.#receipts.length >= waiter.count) waiter.resolve();
    return receipt;
  }

  refuse(): void {
    this.#refused += 1;
  }

  counts(): Counts {
    return {
      system: this.#system,
      received: this.#receipts.length,
      refused: this.#refused,
      distinct: this.#receipts.length - this.#duplicates,
      duplicates: this.#duplicates,
      byEntity: Object.fromEntries(this.#byEntity),
    };
  }

  /** How often each message id came to one method and path, those that came more than once only. */
  duplicates(): { messageId: string; request: string; times: number }[] {
    return [...this.#identities]
      .filter(([, times]) => times > 1)
      .map(([identity, times]) => {
        const blank = identity.indexOf(" ");
        return { messageId: identity.slice(0, blank), request: identity.slice(blank + 1), times };
      });
  }

  /** In order of arrival, from the one after sequence `after`. */
  receipts({ entity, key, after = 0, limit = Number.MAX_SAFE_INTEGER }: ReceiptFilter = {}): Receipt[] {
    const candidates =
      key === undefined ? this.#receipts.slice(after) : (this.#byKey.get(key) ?? []).filter((each) => each.sequence > after);
    return (entity === undefined ? candidates : candidates.filter((each) => each.entity === entity)).slice(0, limit);
  }

  keys(): string[] {
    return [...this.#byKey.keys()];
  }

  /** Resolves as soon as `count` requests have been received in all. */
  async whenReceived(count: number): Promise<void> {
    if (this.#receipts.length >= count) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiter = { count, resolve };
    this.#waiters.add(waiter);
    await promise;
    this.#waiters.delete(waiter);
  }

  #makeRoom(added: number): void {
    this.#bodyCharacters += added;
    while (this.#bodyCharacters > bodyCharactersMax) {
      const oldest = this.#receipts[this.#oldestBody];
      if (!oldest) return;
      this.#bodyCharacters -= oldest.body?.length ?? 0;
      oldest.body = null;
      this.#oldestBody += 1;
    }
  }
}
