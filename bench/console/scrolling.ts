import { missingRow, ownRow, peerRow, type Row } from "../report.ts";
import { bench } from "./rows.ts";
import { openQueueList, type Place, type Visit, type Visitor } from "./visit.ts";

const rowHeight = 44;
const rowCount = 10_000;
/** Enough for a share of frames, at a fifth of the time. */
const peerRowCount = 2_000;
/** Of a fling: 14,400 px a second pass 330 rows. */
const pixelsPerSecond = 14_400;
/** Two frames at 60 Hz and a little: whoever takes longer has left one out. */
const slowFrameMs = 34;
const slowFramesPercentMax = 3;

/** Wheels through the rows with paging from the server, and counts the frames that came late. */
export async function timeScrolling(visitor: Visitor, [own, ...others]: [Place, ...Place[]], say: (line: string) => void): Promise<Row[]> {
  const row = `scrolling ${rowCount.toLocaleString("en")} rows, frames over ${slowFrameMs} ms`;
  const shares = new Map<Place, number>();
  for (const place of [own, ...others]) {
    say(`scrolling ${place.name}`);
    shares.set(place, await shareOfSlowFrames(visitor, place, place === own ? rowCount : peerRowCount));
  }
  const ownShare = shares.get(own);
  if (ownShare === undefined) return [missingRow(bench, row, null, true)];
  return [
    ownRow(bench, row, ownShare, "%", { atMost: slowFramesPercentMax }),
    ...others.map((peer) => peerRow(bench, row, ownShare, { name: peer.name, value: shares.get(peer) ?? 0 }, "%")),
  ];
}

async function shareOfSlowFrames(visitor: Visitor, place: Place, rows: number): Promise<number> {
  const visit = await visitor.arrive(place);
  await openQueueList(visit, place);
  await visit.page.evaluate("bench.startFrames()");
  if (place.nextPage === null) await wheel(visit, place, rows * rowHeight);
  else await wheelThroughPages(visit, place, place.nextPage, rows);
  const frames = await visit.page.evaluate<number[]>("bench.stopFrames()");
  await visit.close();
  return (frames.filter((ms) => ms > slowFrameMs).length / frames.length) * 100;
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
async function wheelThroughPages(visit: Visit, place: Place, nextPage: string, rows: number): Promise<void> {
  const pageRows = 100;
  for (let passed = 0; passed < rows; passed += pageRows) {
    await wheel(visit, place, pageRows * rowHeight);
    await visit.page.locator(nextPage).click();
  }
}
