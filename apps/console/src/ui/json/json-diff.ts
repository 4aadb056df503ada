import { childrenOf, isObject, rootPath, type Json, type JsonNode } from "./json-tree.ts";

/** One value of two documents: on both sides alike, on one side only, changed, or a branch with differences inside. */
export type Difference = {
  kind: "same" | "added" | "removed" | "changed" | "branch";
  path: string;
  name: string | null;
  before: Json | undefined;
  after: Json | undefined;
  children: Difference[];
};

/** Lists longer than this are compared place by place, as finding what was inserted takes the square of their length. */
const listMax = 400;

/** What tells an item of a list from its neighbours, in the order of preference. */
const identityNames = ["id", "key", "sku", "code", "number", "lineNumber", "name"];

export function diff(before: Json, after: Json): Difference {
  return compare({ path: rootPath, name: null, value: before }, { path: rootPath, name: null, value: after });
}

function compare(before: JsonNode, after: JsonNode): Difference {
  const { path, name } = after;
  const both = { path, name, before: before.value, after: after.value };
  if (isEqual(before.value, after.value)) return { ...both, kind: "same", children: [] };
  if (Array.isArray(before.value) && Array.isArray(after.value)) return { ...both, kind: "branch", children: compareLists(before, after) };
  if (isObject(before.value) && isObject(after.value)) return { ...both, kind: "branch", children: compareObjects(before, after) };
  return { ...both, kind: "changed", children: [] };
}

/** Names of the new document in their order, those that went away last. */
function compareObjects(before: JsonNode, after: JsonNode): Difference[] {
  const old = new Map(childrenOf(before).map((child) => [child.name, child]));
  const current = childrenOf(after).map((child) => {
    const known = old.get(child.name);
    old.delete(child.name);
    return known ? compare(known, child) : added(child);
  });
  return [...current, ...[...old.values()].map(removed)];
}

/** Items with the same identity belong together; between them stands what was added or removed. */
function compareLists(before: JsonNode, after: JsonNode): Difference[] {
  const [old, current] = [childrenOf(before), childrenOf(after)];
  const children: Difference[] = [];
  let [i, j] = [0, 0];
  const settle = (iTo: number, jTo: number) => {
    // Between two common items, what stood at the same place is taken as changed.
    while (i < iTo && j < jTo) children.push(...pair(old[i++], current[j++]));
    while (i < iTo) children.push(...one(old[i++], removed));
    while (j < jTo) children.push(...one(current[j++], added));
  };
  for (const [iCommon, jCommon] of commonItems(old, current)) {
    settle(iCommon, jCommon);
    children.push(...pair(old[i++], current[j++]));
  }
  settle(old.length, current.length);
  return children;
}

function pair(before: JsonNode | undefined, after: JsonNode | undefined): Difference[] {
  return before && after ? [compare(before, after)] : [];
}

function one(node: JsonNode | undefined, tell: (node: JsonNode) => Difference): Difference[] {
  return node ? [tell(node)] : [];
}

/** The longest common subsequence of two lists by the items' identity, as pairs of indexes. */
function commonItems(old: JsonNode[], current: JsonNode[]): [number, number][] {
  if (old.length > listMax || current.length > listMax) return [];
  const [oldIds, ids] = [old.map(identityOf), current.map(identityOf)];
  const lengths = Array.from({ length: old.length + 1 }, () => Array.from({ length: current.length + 1 }, () => 0));
  const lengthAt = (i: number, j: number) => lengths[i]?.[j] ?? 0;
  for (let i = old.length - 1; i >= 0; i -= 1)
    for (let j = current.length - 1; j >= 0; j -= 1) {
      const row = lengths[i];
      if (row) row[j] = oldIds[i] === ids[j] ? lengthAt(i + 1, j + 1) + 1 : Math.max(lengthAt(i + 1, j), lengthAt(i, j + 1));
    }
  const pairs: [number, number][] = [];
  for (let i = 0, j = 0; i < old.length && j < current.length;) {
    if (oldIds[i] === ids[j]) pairs.push([i++, j++]);
    else if (lengthAt(i + 1, j) >= lengthAt(i, j + 1)) i += 1;
    else j += 1;
  }
  return pairs;
}

function identityOf({ value }: JsonNode): string {
  if (isObject(value)) {
    const name = identityNames.find((candidate) => typeof value[candidate] === "string" || typeof value[candidate] === "number");
    if (name !== undefined) return `${name}:${JSON.stringify(value[name])}`;
  }
  return JSON.stringify(value);
}

function added({ path, name, value }: JsonNode): Difference {
  return { kind: "added", path, name, before: undefined, after: value, children: [] };
}

function removed({ path, name, value }: JsonNode): Difference {
  return { kind: "removed", path, name, before: value, after: undefined, children: [] };
}

function isEqual(one: Json, other: Json): boolean {
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, index) => isEqual(item, other[index] ?? null));
  if (isObject(one) && isObject(other)) {
    const names = Object.keys(one);
    return (
      names.length === Object.keys(other).length &&
      names.every((name) => Object.hasOwn(other, name) && isEqual(one[name] ?? null, other[name] ?? null))
    );
  }
  // Two raw numbers are never the same object.
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

type DifferenceCounts = { added: number; removed: number; changed: number };

export function countDifferences(difference: Difference): DifferenceCounts {
  const counts = { added: 0, removed: 0, changed: 0 };
  const visit = ({ kind, children }: Difference) => {
    if (kind === "added" || kind === "removed" || kind === "changed") counts[kind] += 1;
    for (const child of children) visit(child);
  };
  visit(difference);
  return counts;
}
