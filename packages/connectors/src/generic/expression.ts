import jsonata from "jsonata";
import { isRecord } from "../json.ts";
import { boundFunctions, isSized, sizeOf } from "./bounded-functions.ts";

/**
 * Bounds of one evaluation. A template that needs more is wrong, or meant to hurt. Steps are the measure: they grow with the document, so
 * that an order of a thousand lines passes and a loop within a loop does not. The time is a net only; it runs on while evaluations beside
 * this one have their turn.
 */
const bounds = { timeoutMs: 10_000, steps: 50_000, stepsPerValue: 200, depth: 200, sequence: 20_000, charactersPerStep: 16 };

/** How long all evaluations together may hold the process at a time. In ten seconds it would neither answer anybody nor renew a lease. */
const turnMs = 10;
let turn: { endsAt: number; isOver: Promise<void> } | null = null;

/** To be awaited between two steps: whatever else waits in the process goes on before the next turn. */
function giveWay(): Promise<void> | undefined {
  if (turn) return performance.now() < turn.endsAt ? undefined : turn.isOver;
  const isOver = new Promise<void>((resolve) =>
    setImmediate(() => {
      turn = null;
      resolve();
    }),
  );
  turn = { endsAt: performance.now() + turnMs, isOver };
  return undefined;
}

type Expression = (input: unknown, bindings?: Record<string, unknown>) => Promise<unknown>;

/** Compiling costs a hundred times an evaluation; there are few expressions, and the oldest gives way when there are many. */
const compiled = new Map<string, Expression>();
const compiledMax = 500;

/** A JSONata expression (https://docs.jsonata.org) as a bounded function. Throws Error with a position when it can't be read. */
export function compileExpression(source: string): Expression {
  const known = compiled.get(source);
  if (known) return known;
  const expression = build(source);
  const [oldest] = compiled.keys();
  if (compiled.size >= compiledMax && oldest !== undefined) compiled.delete(oldest);
  compiled.set(source, expression);
  return expression;
}

/** Why an expression can't be used, or null. */
export function expressionFault(source: string): string | null {
  try {
    compileExpression(source);
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

function build(source: string): Expression {
  const expression = jsonata(source, { timeout: bounds.timeoutMs, stack: bounds.depth, sequence: bounds.sequence });
  if (containsRegex(expression.ast())) throw new Error("regular expressions are not available: their running time can't be bounded");
  const stepsLeft = new WeakMap<object, number>();
  const take = (base: object, input: unknown, steps: number): void => {
    const left = (stepsLeft.get(base) ?? bounds.steps + bounds.stepsPerValue * countValues(input) + stepsFor(4 * sizeOf(input))) - steps;
    if (left < 0) throw new Error("more steps than a document of this size may take");
    stepsLeft.set(base, left);
  };
  // JSONata calls this before each step; `base` is the same object throughout one evaluation, whose first step has the whole input.
  expression.assign(entryHook, (_node: unknown, input: unknown, { base }: { base: object }) => {
    take(base, input, 1);
    return giveWay();
  });
  // And this after it. What doubles with each step would be larger than the memory within thirty of them.
  expression.assign(exitHook, (_node: unknown, input: unknown, { base }: { base: object }, result: unknown) => {
    if (!isSized(result)) take(base, input, stepsFor(sizeOf(result)));
  });
  // Expressions made at run time would escape the check above.
  expression.assign("eval", undefined);
  boundFunctions(expression);
  return async (input, bindings) => {
    try {
      return plain(await expression.evaluate(input, bindings));
    } catch (error) {
      throw new Error(messageOf(error), { cause: error });
    }
  };
}

// The typings know string names only; the hook is documented in JSONata's guide to embedding.
const entryHook = Symbol.for("jsonata.__evaluate_entry") as unknown as string;
const exitHook = Symbol.for("jsonata.__evaluate_exit") as unknown as string;

const stepsFor = (size: number): number => Math.floor(size / bounds.charactersPerStep);

function countValues(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  let count = 1;
  for (const part of Object.values(value)) count += countValues(part);
  return count;
}

function containsRegex(node: unknown): boolean {
  if (typeof node !== "object" || node === null) return false;
  if ("type" in node && node.type === "regex") return true;
  return Object.values(node).some(containsRegex);
}

/** JSONata's lists carry hidden marks and may hold functions; JSON text knows neither. */
function plain(result: unknown): unknown {
  return result === undefined ? undefined : JSON.parse(JSON.stringify(result) ?? "null");
}

/** JSONata throws plain objects with code, message and position. */
function messageOf(error: unknown): string {
  const { message, position } = isRecord(error) ? error : {};
  return `${typeof message === "string" ? message.slice(0, 300) : "failed"}${typeof position === "number" ? ` (at ${position})` : ""}`;
}
