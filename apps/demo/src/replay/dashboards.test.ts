import { expect, test } from "vitest";
import { compare, spanOf, type Kept } from "./dashboards.ts";

const span = spanOf({ hours: 24, grain: "60" }, "Asia/Kolkata", Date.parse("2026-06-01T10:20:00Z"));
const message = (publishedAt: string, finishedAt: string, state = "delivered"): Kept => ({ queueId: 7, state, publishedAt, finishedAt });
const row = (at: string, added: number, delivered: number, superseded = 0) => ({ queueId: 7, at, added, delivered, superseded });

test("a range ends with the hour under way by the zone's clock", () => {
  expect(new Date(span.to).toISOString()).toBe("2026-06-01T10:30:00.000Z");
  const winter = spanOf({ hours: 1, grain: "60" }, "America/New_York", Date.parse("2026-12-01T10:20:00Z"));
  expect(new Date(winter.from).toISOString()).toBe("2026-12-01T10:00:00.000Z");
});

test("one message too many or too few in any point is told, however the sums agree", () => {
  const kept = [
    message("2026-06-01T09:29:59.999Z", "2026-06-01T09:30:00.000Z"),
    message("2026-06-01T09:40:00.000Z", "2026-06-01T09:41:00.000Z", "superseded"),
    message("2026-05-01T00:00:00.000Z", "2026-05-01T00:01:00.000Z"),
  ];
  const right = [row("2026-06-01T08:30:00Z", 1, 0), row("2026-06-01T09:30:00Z", 1, 1, 1)];
  expect(compare(right, kept, span)).toEqual([]);
  const moved = [row("2026-06-01T08:30:00Z", 2, 0), row("2026-06-01T09:30:00Z", 0, 1, 1)];
  expect(compare(moved, kept, span)).toHaveLength(2);
  expect(compare(right.slice(1), kept, span)).toHaveLength(1);
  expect(compare([...right, row("2026-06-01T02:30:00Z", 0, 1)], kept, span)).toHaveLength(1);
});
