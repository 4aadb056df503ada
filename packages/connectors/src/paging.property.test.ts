import fc from "fast-check";
import { expect, test } from "vitest";
import { changesSince, type Step } from "./paging.ts";

// Polls of a source that goes on changing, tells the time by a clock of its own and shows some changes later than the time that they bear.

const minutes = 60_000;
const Change = fc.record({
  id: fc.nat(11),
  afterMs: fc.oneof(fc.nat(500), fc.nat(3_000), fc.nat(minutes)),
  /** Within the two minutes that polls look back. */
  shownAfterMs: fc.oneof(fc.constant(0), fc.nat(100_000)),
  isPolled: fc.boolean(),
});
const Plan = fc.record({
  changes: fc.array(Change, { minLength: 20, maxLength: 60 }),
  pageSize: fc.constantFrom(2, 3, 5),
  /** How far the source's clock is ahead of the hub's. */
  aheadMs: fc.constantFrom(-10 * minutes, -90_000, 0, 10 * minutes),
  pageMs: fc.nat(1_500),
});

type Made = { id: number; version: number; changedAt: string };

test("no change is lost, however late it is shown, how long a poll lasts and which clock is ahead", () => {
  fc.assert(
    fc.property(Plan, ({ changes, pageSize, aheadMs, pageMs }) => {
      let now = Date.UTC(2026, 10, 2, 8);
      const made = new Map<number, Made>();
      const shown = new Map<number, Made>();
      const known = new Map<number, number>();
      let hidden: { at: number; object: Made }[] = [];
      const reveal = (): void => {
        for (const { object } of hidden.filter(({ at }) => at <= now)) shown.set(object.id, object);
        hidden = hidden.filter(({ at }) => at > now);
      };
      const give = ({ since, page }: Step): Made[] =>
        [...shown.values()]
          .filter(({ changedAt }) => since === null || changedAt >= since)
          .toSorted((one, other) => (one.changedAt === other.changedAt ? one.id - other.id : one.changedAt < other.changedAt ? -1 : 1))
          .slice((page - 1) * pageSize, page * pageSize);

      let waiting = [...changes];
      const change = (): void => {
        const [next, ...later] = waiting;
        waiting = later;
        if (!next || hidden.some(({ object }) => object.id === next.id)) return;
        const object = {
          id: next.id,
          version: (made.get(next.id)?.version ?? 0) + 1,
          changedAt: new Date(now + aheadMs).toISOString().slice(0, 19),
        };
        made.set(next.id, object);
        hidden.push({ at: now + next.shownAfterMs, object });
        reveal();
      };
      let cursor: string | null = null;
      const poll = (): void => {
        for (let hasMore = true; hasMore; now += pageMs) {
          reveal();
          let asked: Step = { since: null, page: 1 };
          const pull = changesSince({
            cursor,
            now: new Date(now),
            pageSize,
            request: (step) => {
              asked = step;
              return { method: "GET", url: "https://shop.example", headers: {}, body: null, secretHeaders: [] };
            },
            manners: {},
            objectsOf: (body) => (Array.isArray(body) ? body : []),
            idOf: (object) => object["id"],
            changedAt: (object) => object["changedAt"],
          });
          const objects = give(asked);
          const headers = { date: new Date(now + aheadMs).toUTCString() };
          const page = pull.read({ status: 200, headers, body: JSON.stringify(objects) });
          if (page.kind !== "page") throw new Error(`no page: ${page.kind}`);
          for (const { id, version } of objects) known.set(id, version);
          ({ cursor, hasMore } = page);
          // What changes while the poll goes on.
          if (hasMore && known.size % 3 === 0) change();
        }
      };
      while (waiting.length > 0) {
        const [next] = waiting;
        now += next?.afterMs ?? 0;
        change();
        if (next?.isPolled) poll();
      }
      now += 10 * minutes;
      poll();
      now += 5 * minutes;
      poll();
      expect(Object.fromEntries(known)).toEqual(Object.fromEntries([...made].map(([id, { version }]) => [id, version])));
    }),
    { numRuns: Number(process.env["PAGING_RUNS"] ?? 500) },
  );
});
