import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { countDifferences, diff, type Difference } from "./json-diff.ts";
import {
  ancestorsOf,
  childrenOf,
  findPaths,
  isSecret,
  linesOf,
  parseJson,
  pathOf,
  plainText,
  pointerOf,
  rootPath,
  writeJson,
  type Json,
} from "./json-tree.ts";

/** JSON has no negative zero; names like __proto__ are kept, as documents may have them. */
const json = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.parse(JSON.stringify(value)) as Json);
const item = fc.record({ sku: fc.constantFrom("A", "B", "C", "D"), quantity: fc.integer({ min: 0, max: 3 }) });
const list = fc.array(item, { maxLength: 8 });

function read(text: string): Json {
  const parsed = parseJson(text);
  if (!parsed) throw new Error(`${text} is no JSON`);
  return parsed.value;
}

/** Puts one of the two documents together again from what tells them apart. */
function sideOf({ kind, before, after, children }: Difference, side: "before" | "after"): Json | undefined {
  const value = side === "before" ? before : after;
  if (kind !== "branch") return value;
  const parts = children.flatMap((child) => {
    const part = sideOf(child, side);
    return part === undefined ? [] : [[child.name ?? "", part] as const];
  });
  return Array.isArray(value) ? parts.map(([, part]) => part) : Object.fromEntries(parts);
}

describe("the difference of two documents", () => {
  test("holds both of them, whatever they are", () => {
    fc.assert(
      fc.property(fc.oneof(fc.tuple(json, json), fc.tuple(list, list)), ([before, after]) => {
        const difference = diff(before, after);
        expect(sideOf(difference, "before")).toEqual(before);
        expect(sideOf(difference, "after")).toEqual(after);
      }),
    );
  });

  test("is nothing between a document and its copy", () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(countDifferences(diff(value, JSON.parse(JSON.stringify(value)) as Json))).toEqual({ added: 0, removed: 0, changed: 0 });
      }),
    );
  });

  test("tells an inserted item from changed ones", () => {
    const before = { lines: [{ sku: "A" }, { sku: "B", quantity: 1 }] };
    const after = { lines: [{ sku: "NEW" }, { sku: "A" }, { sku: "B", quantity: 2 }] };
    expect(countDifferences(diff(before, after))).toEqual({ added: 1, removed: 0, changed: 1 });
  });
});

describe("a document's lines", () => {
  test("are one for every value, in the order of the text", () => {
    fc.assert(
      fc.property(json, (value) => {
        const lines = linesOf(value, () => false);
        const count = (node: Json): number =>
          1 + childrenOf({ path: "", name: null, value: node }).reduce((sum, child) => sum + count(child.value), 0);
        expect(lines).toHaveLength(count(value));
        expect(new Set(lines.map(({ path }) => path)).size).toBe(lines.length);
      }),
    );
  });

  test("leave out what is folded", () => {
    const lines = linesOf({ a: { b: 1 }, c: [2] }, ({ path }) => path === "$.a");
    expect(lines.map(({ path }) => path)).toEqual(["$", "$.a", "$.c", "$.c[0]"]);
  });

  test("know the branches around them", () => {
    const lines = linesOf({ a: { b: [{ c: 1 }] }, d: 1 }, () => false);
    expect(ancestorsOf(lines, "$.a.b[0].c")).toEqual(["$", "$.a", "$.a.b", "$.a.b[0]"]);
    expect(ancestorsOf(lines, "$.d")).toEqual(["$"]);
  });
});

test("a path is quoted where its name asks for it", () => {
  expect(pathOf(rootPath, "sku")).toBe("$.sku");
  expect(pathOf(rootPath, "it's here")).toBe("$['it\\'s here']");
});

test("a search reaches folded and deep values, but no masked one", () => {
  const document = { name: "Lamp", parts: [{ name: "Bulb" }], password: "lamp" };
  expect(findPaths(document, "LAMP", isSecret)).toEqual(["$.name"]);
  expect(findPaths(document, "bulb", isSecret)).toEqual(["$.parts[0].name"]);
  expect(findPaths(document, " ", isSecret)).toEqual([]);
});

test("numbers that a double can't hold keep their digits, wherever they are shown, found, copied or compared", () => {
  const numbers = ["12345678901234567890", "-9007199254740993", "0.1000000000000000055", "1e400", "1e-400", `0.${"0".repeat(30)}1`];
  const text = `{"ids":[${numbers.join(",")}]}`;
  const root = read(text);
  expect(linesOf(root, () => false).map(({ path, value, isBranch }) => [path, isBranch || plainText(value)])).toEqual([
    ["$", true],
    ["$.ids", true],
    ...numbers.map((number, index) => [`$.ids[${index}]`, number]),
  ]);
  expect(findPaths(root, "4567890", isSecret)).toEqual(["$.ids[0]"]);
  expect(writeJson({ path: rootPath, name: null, value: root }, isSecret).replace(/\s/g, "")).toBe(text);
  expect(countDifferences(diff(root, read(text)))).toEqual({ added: 0, removed: 0, changed: 0 });
  expect(countDifferences(diff(root, read(text.replace("7890,", "7891,"))))).toEqual({ added: 0, removed: 0, changed: 1 });
  expect(countDifferences(diff(read('{"id":9007199254740993}'), read('{"id":9007199254740992}'))).changed).toBe(1);
});

test("all other numbers are what they are, however they are written", () => {
  const text = '{"id":9007199254740991,"twelve":[12.0,1.2e1,12],"zero":[0,0.0,-0.00],"big":[1e22,10000000000000000000000],"rawJSON":1.10}';
  expect(read(text)).toEqual({ id: 9007199254740991, twelve: [12, 12, 12], zero: [0, 0, -0], big: [1e22, 1e22], rawJSON: 1.1 });
  fc.assert(
    fc.property(json, (value) => {
      expect(read(JSON.stringify(value))).toEqual(value);
    }),
  );
});

test("secrets stay out of what is copied", () => {
  const node = { path: rootPath, name: null, value: { user: "a", accessToken: "t", nested: [{ api_key: "k" }] } };
  expect(writeJson(node, isSecret)).not.toMatch(/"t"|"k"/);
  expect(parseJson(writeJson(node, () => false))?.value).toEqual(node.value);
});

test("a JSON pointer names what the line's path names", () => {
  const root = { "a/b": [{ "m~n": 1, "it's": { "back\\slash": 2 } }], plain: { x_1: 3 } };
  const pointers = linesOf(root, () => false).map(({ path }) => pointerOf(path));
  expect(pointers).toEqual(["", "/a~1b", "/a~1b/0", "/a~1b/0/m~0n", "/a~1b/0/it's", "/a~1b/0/it's/back\\slash", "/plain", "/plain/x_1"]);
});
