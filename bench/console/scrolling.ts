import { missingRow, ownRow, peerRow, type Row } from "../report.ts";
import { bench } from "./rows.ts";
import { openQueueList, type Place, type Visit, type Visitor } from "./visit.ts";

const rowHeight = 44;
/** A strong hand on the wheel: four screens a second. Faster, antd's table stands at the end of what is loaded and has nothing to do. */
const pixelsPerSecond = 3_600;
const seconds = 15;
/** Two frames at 60 Hz and a little: whoever takes longer has left one out. */
const slowFrameMs = 34;
const slowFramesPercentMax = 3;

/** Wheels down the list, whose rows come from the server page by page, and counts the frames that came late. */
export async function timeScrolling(visitor: Visitor, [own, ...others]: [Place, ...Place[]], say: (line: string) => void): Promise<Row[]> {
  const row = `scrolling, frames over ${slowFrameMs} ms`;
  const shares = new Map<Place, number | null>();
  for (const place of [own, ...others]) {
    say(`scrolling ${place.name}`);
    shares.set(place, await shareOfSlowFrames(visitor, place));
  }
  const ownShare = shares.get(own) ?? null;
  if (ownShare === null) return [missingRow(bench, row, null, true)];
  const peerRows = others.map((peer) => {
    const value = shares.get(peer) ?? null;
    return value === null ? missingRow(bench, row, peer.name, false) : peerRow(bench, row, ownShare, { name: peer.name, value }, "%");
  });
  return [ownRow(bench, row, ownShare, "%", { atMost: slowFramesPercentMax }), ...peerRows];
}

/** Null when fewer rows went by than the wheel was turned for: a table that stands still has smooth frames. */
async function shareOfSlowFrames(visitor: Visitor, place: Place): Promise<number | null> {
  const visit = await visitor.arrive(place);
  await openQueueList(visit, place);
  const first = await lastKey(visit, place);
  await visit.page.evaluate("bench.startFrames()");
  if (place.nextPage === null) await wheel(visit, place, seconds * pixelsPerSecond);
  else await wheelThroughPages(visit, place, place.nextPage);
  const frames = await visit.page.evaluate<number[]>("bench.stopFrames()");
  const passed = first - (await lastKey(visit, place));
  await visit.close();
  if (passed < 0.8 * ((seconds * pixelsPerSecond) / rowHeight)) return null;
  return (frames.filter((ms) => ms > slowFrameMs).length / frames.length) * 100;
}

/** Keys count down from the newest message to the oldest. */
async function lastKey({ page }: Visit, place: Place): Promise<number> {
  const text = await page.locator(place.row).last().textContent();
  return Number(/SKU-(\d+)/.exec(text ?? "")?.[1]);
}

async function wheel({ page, cdp }: Visit, place: Place, distance: number): Promise<void> {
  const box = await page.locator(place.row).nth(3).boundingBox();
  if (box === null) throw new Error(`${place.name} shows no rows to scroll`);
  await cdp.send("Input.synthesizeScrollGesture", {
    x: box.x + 200,
    y: box.y,
    yDistance: -distance,
    speed: pixelsPerSecond,
    gestureSourceType: "mouse",
  });
}

/** A grid of 100 rows a page is scrolled to its end and turned to the next page. */
async function wheelThroughPages(visit: Visit, place: Place, nextPage: string): Promise<void> {
  const pageHeight = 100 * rowHeight;
  for (let passed = 0; passed < seconds * pixelsPerSecond; passed += pageHeight) {
    await wheel(visit, place, pageHeight);
    await visit.page.locator(nextPage).click();
  }
}
