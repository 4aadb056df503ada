import { median, missingRow, ownRow, peerRow, type Row } from "../report.ts";
import { bench } from "./rows.ts";
import { openQueueList, type Place, type Visit, type Visitor } from "./visit.ts";

type Switch = {
  row: string;
  /** The setting, and the two values between which it goes back and forth. */
  key: string;
  values: [string, string];
  /** What looks different afterwards. */
  shows: { selector: string; property: string };
  atMostMs: number;
  hasPeers: boolean;
};

const switches: Switch[] = [
  {
    row: "theme switch, light and dark",
    key: "crossdock.mode",
    values: ["dark", "light"],
    shows: { selector: "main h1", property: "color" },
    atMostMs: 50,
    hasPeers: true,
  },
  {
    row: "preset switch",
    key: "crossdock.colours",
    values: ["#905eae #2d755a environment", "#0a8fdc #f04f47 environment"],
    shows: { selector: "nav [aria-current=page]", property: "background-color" },
    atMostMs: 50,
    hasPeers: false,
  },
  {
    row: "layout switch, sidebar and horizontal",
    key: "crossdock.nav",
    values: ["h-default", "standard"],
    shows: { selector: "main", property: "box" },
    atMostMs: 150,
    hasPeers: false,
  },
  {
    row: "language switch, English and Arabic (with its direction)",
    key: "crossdock.locale",
    values: ["ar", "en"],
    shows: { selector: "main h1", property: "text" },
    atMostMs: 250,
    hasPeers: true,
  },
];

/** Each switch there and back in an open queue list, `rounds` times; the first time a catalogue or a layout's code is loaded counts too. */
export async function timeSwitches(
  visitor: Visitor,
  [own, ...others]: [Place, ...Place[]],
  rounds: number,
  say: (line: string) => void,
): Promise<Row[]> {
  const times = new Map<string, number[]>();
  for (const place of [own, ...others]) {
    say(`switches of ${place.name}`);
    const visit = await visitor.arrive(place);
    await openQueueList(visit, place);
    for (const one of switches) if (place === own || one.hasPeers) times.set(`${place.name} ${one.row}`, await repeat(visit, one, rounds));
    await visit.close();
  }
  return switches.flatMap((one) => {
    const middle = (place: Place): number | null => {
      const taken = times.get(`${place.name} ${one.row}`) ?? [];
      return taken.length === 0 ? null : median(taken);
    };
    const ours = middle(own);
    if (ours === null) return [missingRow(bench, one.row, null, true)];
    const peerRows = (one.hasPeers ? others : []).map((peer) => {
      const value = middle(peer);
      return value === null
        ? missingRow(bench, one.row, peer.name, false)
        : peerRow(bench, one.row, ours, { name: peer.name, value }, "ms");
    });
    return [ownRow(bench, one.row, ours, "ms", { atMost: one.atMostMs }), ...peerRows];
  });
}

/** The times of all switches; none when the page doesn't follow the setting. */
async function repeat({ page }: Visit, { key, values, shows }: Switch, rounds: number): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    for (const value of values) {
      const call = `bench.timeSwitch(${JSON.stringify({ key, value, shows })})`;
      const ms = await page.evaluate<number>(call).catch(() => null);
      if (ms === null) return [];
      times.push(ms);
      await page.evaluate("new Promise((resolve) => requestIdleCallback(resolve))");
    }
  }
  return times;
}
