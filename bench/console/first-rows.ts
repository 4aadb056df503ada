import { median, ownRow, peerRow, type Row } from "../report.ts";
import { bench } from "./rows.ts";
import { openQueueList, type Place, type Visitor } from "./visit.ts";

/** The console's first rows come in at most 0.8 of the time that MUI's take. */
const floor = 1 / 0.8;

/** Navigation to first row, by turns, after a round that isn't counted: it warms server and database, never the browser's cache. */
export async function timeFirstRows(
  visitor: Visitor,
  [own, ...others]: [Place, ...Place[]],
  rounds: number,
  say: (line: string) => void,
): Promise<Row[]> {
  const times = new Map<Place, number[]>();
  for (let round = 0; round <= rounds; round += 1) {
    say(`first rows, round ${round} of ${rounds}`);
    for (const place of [own, ...others]) {
      const visit = await visitor.arrive(place);
      const ms = await openQueueList(visit, place);
      if (round > 0) times.set(place, [...(times.get(place) ?? []), ms]);
      await visit.close();
    }
  }
  const row = "first rows of the queue list";
  const middle = (place: Place): number => median(times.get(place) ?? []);
  return [
    ownRow(bench, row, middle(own), "ms"),
    ...others.map((peer, place) =>
      peerRow(bench, row, middle(own), { name: peer.name, value: middle(peer) }, "ms", place === 0 ? floor : null),
    ),
  ];
}
