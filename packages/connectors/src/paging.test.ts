import { expect, test } from "vitest";
import { connectors } from "./index.ts";
import { changesSince, type Step } from "./paging.ts";

type Order = { id: number; changedAt: string };

const pageSize = 10;
const at = (minutes: number): string => new Date(Date.UTC(2026, 10, 21) + minutes * 60_000).toISOString();

/** Asks a source page by page, as polls do, and answers the names of what it gave. */
function walk(give: (step: Step) => Order[]): string[] {
  return pollOf(give, null).names;
}

type Clocks = {
  /** The hub's, looked at with each page. */
  now?: () => Date;
  /** The source's, which its answers tell. */
  date?: () => Date;
};

/** The same from a cursor on, and the cursor for the next poll. */
function pollOf(
  give: (step: Step) => Order[],
  from: string | null,
  { now, date }: Clocks = {},
): { names: string[]; cursor: string | null } {
  const names: string[] = [];
  let cursor = from;
  for (let pages = 0; pages < 100; pages += 1) {
    let asked: Step = { since: null, page: 1 };
    const pull = changesSince({
      cursor,
      now: now?.(),
      pageSize,
      request: (step) => {
        asked = step;
        return { method: "GET", url: "https://shop.example.com", headers: {}, body: null, secretHeaders: [] };
      },
      manners: {},
      objectsOf: (body) => (Array.isArray(body) ? body : []),
      idOf: (order) => order["id"],
      changedAt: (order) => order["changedAt"],
    });
    const headers: Record<string, string> = date ? { date: date().toUTCString() } : {};
    const page = pull.read({ status: 200, headers, body: JSON.stringify(give(asked)) });
    if (page.kind !== "page") throw new Error(`no page: ${page.kind}`);
    names.push(...page.messages.map(({ name }) => name ?? ""));
    ({ cursor } = page);
    if (!page.hasMore) return { names, cursor };
  }
  throw new Error("the source is asked without end");
}

const listed = (orders: Order[], { since, page }: Step): Order[] =>
  orders
    .filter(({ changedAt }) => since === null || changedAt >= since)
    .toSorted((one, other) => (one.changedAt < other.changedAt ? -1 : 1))
    .slice((page - 1) * pageSize, page * pageSize);

/** Orders in the order of their making, which know nothing of changes. */
const made = Array.from({ length: 430 }, (_, index) => ({ number: index + 1, state: "open" }));
const sitoo = { settings: { baseUrl: "https://api.example.com", siteId: 1 }, credentials: { apiId: "a", password: "b" } };

function give({ url }: { url: string }): object {
  const [start, count] = ["start", "num"].map((name) => Number(new URL(url).searchParams.get(name)));
  const items = made.slice(start, (start ?? 0) + (count ?? 0)).map(({ number, state }) => ({ orderid: number, orderstateid: state }));
  return { items };
}

/** One poll from a cursor on to the end: the names of what came, and the cursor for the next. */
function poll(from: string | null): { names: string[]; cursor: string | null } {
  const names: string[] = [];
  for (let cursor = from; ;) {
    const pull = connectors.sitoo.pull?.next({ entityType: "order", cursor, ...sitoo });
    if (!pull || "kind" in pull) throw new Error("no pull");
    const page = pull.read({ status: 200, headers: {}, body: JSON.stringify(give(pull.request)) });
    if (page.kind !== "page") throw new Error(page.kind);
    names.push(...page.messages.map(({ name }) => name ?? ""));
    ({ cursor } = page);
    if (!page.hasMore) return { names, cursor };
  }
}

test("sitoo: an order that is cancelled after it was taken is seen by the next poll", () => {
  const first = poll(null);
  expect(new Set(first.names).size).toBe(made.length);
  const changed = made[300];
  if (changed) changed.state = "cancelled";
  const second = poll(first.cursor);
  expect(second.names).toContain("301@cancelled");
  expect(second.names.length).toBeLessThanOrEqual(201);
  if (changed) changed.state = "open";
});

test("what changes between two pages makes no other object fall between them", () => {
  const orders = Array.from({ length: 45 }, (_, id) => ({ id, changedAt: at(id) }));
  let asked = 0;
  const names = walk((step) => {
    asked += 1;
    const page = listed(orders, step);
    const answered = structuredClone(page);
    // The first of a page moves to the end of the list, and all behind it one place forward.
    const [first] = page;
    if (first) first.changedAt = at(1_000 + asked);
    return answered;
  });
  expect(new Set(names.map((name) => name.split("@")[0])).size).toBe(45);
});

test("nor where a moment fills several pages, which are read a second time only by the poll that comes to them", () => {
  const orders = Array.from({ length: 45 }, (_, id) => ({ id, changedAt: at(id < 5 ? id : 5) }));
  const asked: Step[] = [];
  const give = (step: Step): Order[] => {
    asked.push(step);
    const page = listed(orders, step);
    const answered = structuredClone(page);
    const changing = page.find(({ changedAt }) => changedAt === at(5));
    if (changing && asked.length < 6) changing.changedAt = at(10 + asked.length);
    return answered;
  };
  const clocks = { now: () => new Date(at(1_000)) };
  const first = pollOf(give, null, clocks);
  expect(new Set(first.names.map((name) => name.split("@")[0])).size).toBe(45);
  for (const order of orders) order.changedAt = at(20);
  const second = pollOf(give, first.cursor, clocks);
  const pages = asked.length;
  const third = pollOf(give, second.cursor, clocks);
  // Its last full page is looked at once more: something later may have moved there.
  expect(third.names).toHaveLength(55);
  expect(asked.length - pages).toBe(6);
});

test.each([
  { name: "a page of another moment follows", times: [...Array<number>(10).fill(5), ...Array<number>(11).fill(6), 7] },
  { name: "many moments follow", times: [...Array<number>(10).fill(5), ...Array.from({ length: 12 }, (_, index) => 6 + index)] },
])("where what fills a page of one moment changes and $name, a new poll and the next one miss nothing", ({ times }) => {
  for (const isNext of [false, true]) {
    const orders = times.map((second, id) => ({ id, changedAt: at(second) }));
    const clocks = { now: () => new Date(at(1_000)) };
    // A poll that has seen the moment alone begins from it.
    const before = isNext ? pollOf((step) => listed(orders.slice(0, 10), step), null, clocks).cursor : null;
    let hasChanged = false;
    const { names } = pollOf(
      (step) => {
        const answered = structuredClone(listed(orders, step));
        const [first] = orders;
        if (first && !hasChanged) first.changedAt = at(100);
        hasChanged = true;
        return answered;
      },
      before,
      clocks,
    );
    expect(new Set(names.map((name) => name.split("@")[0])).size).toBe(orders.length);
  }
});

test("a change that the source shows later than the time it bears is taken by the next poll, and what is long over not asked for again", () => {
  const orders = Array.from({ length: 25 }, (_, id) => ({ id, changedAt: at(id) }));
  const asked: Step[] = [];
  const give = (step: Step): Order[] => {
    asked.push(step);
    return listed(orders, step);
  };
  const first = pollOf(give, null, { now: () => new Date(at(24.5)) });
  expect(first.names).toHaveLength(27);
  orders.push({ id: 100, changedAt: at(23.5) });
  const second = pollOf(give, first.cursor, { now: () => new Date(at(25.5)) });
  expect(second.names).toContain(`100@${at(23.5)}`);
  expect(second.names.length).toBeLessThan(5);
  const third = pollOf(give, second.cursor, { now: () => new Date(at(60)) });
  pollOf(give, third.cursor, { now: () => new Date(at(61)) });
  expect(asked.at(-1)).toMatchObject({ since: at(24), page: 1 });
});

/** What a second poll brings after one of so many objects, of which the source shows one late; the pages of the first are read a minute apart. */
function shownLate(count: number, begun: number, late: number, clocks: Clocks = {}): string[] {
  const orders = Array.from({ length: count }, (_, id) => ({ id, changedAt: at(id / 10) }));
  let pages = 0;
  const give = (step: Step): Order[] => {
    pages += 1;
    return listed(orders, step);
  };
  const { cursor } = pollOf(give, null, { now: () => new Date(at(begun + pages)), ...clocks });
  orders.push({ id: 100, changedAt: at(late) });
  return pollOf(give, cursor, { now: () => new Date(at(20)) }).names;
}

test("so is one of a source whose clock is behind, of a poll that lasts long, and of one that finds nothing that is long over", () => {
  expect(shownLate(8, 10, 0.65, { date: () => new Date(at(0.8)) })).toContain(`100@${at(0.65)}`);
  expect(shownLate(45, 4.5, 3.35)).toContain(`100@${at(3.35)}`);
  expect(shownLate(18, 1.8, 0.35)).toContain(`100@${at(0.35)}`);
});

test("objects of one moment, more than fill a page, and a source that keeps no order or heeds no time are read to the end", () => {
  const together = Array.from({ length: 35 }, (_, id) => ({ id, changedAt: at(id < 28 ? 5 : id) }));
  expect(new Set(walk((step) => listed(together, step))).size).toBe(35);
  const mixed = Array.from({ length: 35 }, (_, id) => ({ id, changedAt: at((id * 17) % 35) }));
  expect(new Set(walk(({ page }) => mixed.slice((page - 1) * pageSize, page * pageSize))).size).toBe(35);
  const ordered = Array.from({ length: 35 }, (_, id) => ({ id, changedAt: at(id) }));
  expect(new Set(walk(({ page }) => ordered.slice((page - 1) * pageSize, page * pageSize))).size).toBe(35);
  const newestFirst = Array.from({ length: 35 }, (_, id) => ({ id, changedAt: at(35 - id) }));
  expect(new Set(walk(({ page }) => newestFirst.slice((page - 1) * pageSize, page * pageSize))).size).toBe(35);
});

test("a Magento store whose last page is full is not asked beyond it, where it gives that page again", () => {
  const point = { settings: { baseUrl: "https://shop.example.com" }, credentials: { accessToken: "t" } };
  const pull = connectors.magento.pull?.next({ entityType: "order", cursor: null, ...point });
  if (!pull || "kind" in pull) throw new Error("no pull");
  const items = Array.from({ length: 100 }, (_, entity_id) => ({ entity_id, updated_at: "2026-11-21 08:00:00" }));
  const answer = (total_count: number) => ({ status: 200, headers: {}, body: JSON.stringify({ items, total_count }) });
  expect(pull.read(answer(101))).toMatchObject({ hasMore: true });
  expect(pull.read(answer(100))).toMatchObject({ hasMore: false });
});
