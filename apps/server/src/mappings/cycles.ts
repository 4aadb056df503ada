/** A value of a field in one system, and what it is called in another. */
type Step = { fieldName: string; subtenantId: number | null; source: string; sourceValue: string; target: string; targetValue: string };

/** Systems and values on the way round, the first one again at the end. */
export type Cycle = { fieldName: string; stations: { system: string; value: string }[] };

/**
 * A way that leads from one value of a system to another value of the same system and back again. A document that goes to and fro
 * between the systems would never come to rest: its value would be another one each time. Into another system and back to the same
 * value is no such way. Rows with wildcards and rows for any source have no single value to start from and are left out.
 * Null where there is none.
 */
export function findCycle(mappings: readonly Step[]): Cycle | null {
  const own = new Set(mappings.map((step) => answers(step, step.subtenantId)));
  const single = mappings
    .filter(({ source, sourceValue }) => source !== "*" && !sourceValue.includes("*"))
    .map((step) => (step.targetValue === "*" ? { ...step, targetValue: step.sourceValue } : step));
  for (const [fieldName, network] of Map.groupBy(single, (step) => step.fieldName)) {
    for (const steps of roundsOf(network)) {
      // What holds for all subtenants holds in each that says nothing else; what holds in one says nothing about another.
      for (const subtenantId of new Set(steps.map((step) => step.subtenantId))) {
        const stations = findRestless(
          steps.filter((step) => step.subtenantId === subtenantId || (step.subtenantId === null && !own.has(answers(step, subtenantId)))),
        );
        if (stations) return { fieldName, stations };
      }
    }
  }
  return null;
}

/** For whom a step says what becomes of which value: a subtenant's own one goes before the one for all. */
const answers = ({ fieldName, source, sourceValue, target }: Step, subtenantId: number | null): string =>
  JSON.stringify([subtenantId, fieldName, source, sourceValue, target]);

type Station = { system: string; value: string };
const nameOf = (system: string, value: string): string => JSON.stringify([system, value]);

/** The steps by which circle they would lie on if those of all subtenants held at once: no subtenant has a way back that leaves it. */
function roundsOf(steps: readonly Step[]): Step[][] {
  const circleOf = new Map<string, Station[]>();
  const { next, previous } = linksOf(steps);
  for (const circle of circlesOf(next, previous)) for (const { system, value } of circle) circleOf.set(nameOf(system, value), circle);
  const rounds = Map.groupBy(steps, ({ source, sourceValue, target, targetValue }) => {
    const circle = circleOf.get(nameOf(source, sourceValue));
    return circle === circleOf.get(nameOf(target, targetValue)) ? circle : undefined;
  });
  rounds.delete(undefined);
  return [...rounds.values()];
}

function findRestless(steps: readonly Step[]): Station[] | null {
  const { next, previous } = linksOf(steps);
  for (const circle of circlesOf(next, previous)) {
    const valueOf = new Map<string, Station>();
    for (const station of circle) {
      const other = valueOf.get(station.system);
      if (other) return [...pathTo(station, waysFrom(other, next)), ...pathTo(other, waysFrom(station, next)).slice(1)];
      valueOf.set(station.system, station);
    }
  }
  return null;
}

function linksOf(steps: readonly Step[]) {
  const next = new Map<string, Station[]>();
  const previous = new Map<string, Station[]>();
  for (const { source, sourceValue, target, targetValue } of steps) {
    const from = { system: source, value: sourceValue };
    const to = { system: target, value: targetValue };
    link(next, from, to);
    link(previous, to, from);
  }
  return { next, previous };
}

function link(links: Map<string, Station[]>, { system, value }: Station, to: Station): void {
  const name = nameOf(system, value);
  const known = links.get(name);
  if (known) known.push(to);
  else links.set(name, [to]);
}

type Links = ReadonlyMap<string, readonly Station[]>;

/** The stations that lead to each other, circle by circle (Kosaraju's algorithm: two passes over all links). */
function circlesOf(next: Links, previous: Links): Station[][] {
  const finished: Station[] = [];
  const seen = new Set<string>();
  for (const name of next.keys()) walk(stationOf(name), next, seen, finished);
  const circles: Station[][] = [];
  const placed = new Set<string>();
  for (const station of finished.toReversed()) {
    const circle: Station[] = [];
    walk(station, previous, placed, circle);
    if (circle.length > 1) circles.push(circle);
  }
  return circles;
}

const stationOf = (name: string): Station => {
  const [system = "", value = ""]: string[] = JSON.parse(name);
  return { system, value };
};

/** Depth first without recursion, as a chain may be long; adds each station to `left` when all behind it are done. */
function walk(start: Station, links: Links, seen: Set<string>, left: Station[]): void {
  const path: { station: Station; onward: readonly Station[]; at: number }[] = [];
  const enter = (station: Station): void => {
    const name = nameOf(station.system, station.value);
    if (seen.has(name)) return;
    seen.add(name);
    path.push({ station, onward: links.get(name) ?? [], at: 0 });
  };
  enter(start);
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const onward = top.onward[top.at];
    top.at += 1;
    if (onward) enter(onward);
    else {
      left.push(top.station);
      path.pop();
    }
  }
}

type Way = { station: Station; from: string | null };

/** Everything that a value becomes sooner or later, each with the station before it. */
function waysFrom(start: Station, next: ReadonlyMap<string, Station[]>): Map<string, Way> {
  const ways = new Map<string, Way>([[nameOf(start.system, start.value), { station: start, from: null }]]);
  for (const [name] of ways) {
    for (const station of next.get(name) ?? []) {
      const reached = nameOf(station.system, station.value);
      if (!ways.has(reached)) ways.set(reached, { station, from: name });
    }
  }
  return ways;
}

function pathTo(station: Station, ways: ReadonlyMap<string, Way>): Station[] {
  const path: Station[] = [];
  for (let name: string | null = nameOf(station.system, station.value); name !== null;) {
    const way = ways.get(name);
    if (!way) break;
    path.unshift(way.station);
    name = way.from;
  }
  return path;
}
