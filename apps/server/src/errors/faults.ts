import {
  reasons,
  type Failure,
  type Fault,
  type LineFault,
  type ReasonValues,
  type RefusalReason,
  type SchemaReason,
} from "@crossdock/contract";
import type { z } from "zod";
import { misfitsOf, type Misfit } from "./misfits.ts";

/** No values for a sentence without placeholders. */
type Given<Reason extends RefusalReason> = keyof ReasonValues<Reason> extends never ? [] : [values: ReasonValues<Reason>];
export type Why = { detail: string; reason: RefusalReason; values?: Record<string, string | number> };

/** Why a request is refused, as a sentence and by name: `new ApiError("conflict", because("run-state", { state }))`. */
export function because<Reason extends RefusalReason>(reason: Reason, ...[values]: Given<Reason>): Why {
  const given: Record<string, string | number> = values ?? {};
  const detail = reasons[reason].replace(/\{(\w+)\}/g, (_, name: string) => String(given[name]));
  return { detail, reason, ...(values && { values: given }) };
}

/** The same for what failed and was no request. */
export function failureBecause<Reason extends RefusalReason>(reason: Reason, ...given: Given<Reason>): Failure {
  const { detail, ...why } = because(reason, ...given);
  return { message: detail, ...why };
}

/** The same for one value of the request. */
export function faultBecause<Reason extends RefusalReason>(path: string, reason: Reason, ...given: Given<Reason>): Fault {
  return { path, ...failureBecause(reason, ...given) };
}

/** The same for a line of a file. */
export function lineBecause<Reason extends RefusalReason>(line: number, reason: Reason, ...given: Given<Reason>): LineFault {
  return { line, ...failureBecause(reason, ...given) };
}

const reasonOfSentence = new Map(Object.entries(reasons).map(([reason, sentence]) => [sentence as string, reason]));

/** Adds to a fault that says one of these sentences the sentence's name; a fault that has a name, or says something else, stays as it is. */
export function namerOf(names: readonly RefusalReason[]): (fault: Fault) => Fault {
  const patterns = names.map((reason) => {
    const source = RegExp.escape(reasons[reason]).replace(/\\\{(\w+)\\\}/g, "(?<$1>.+)");
    return { reason, pattern: new RegExp(`^${source}$`, "s") };
  });
  return (fault) => {
    if (fault.reason !== undefined) return fault;
    for (const { reason, pattern } of patterns) {
      const found = pattern.exec(fault.message);
      if (found) return { ...fault, reason, ...(found.groups && { values: { ...found.groups } }) };
    }
    return fault;
  };
}

/**
 * What a schema says about a value, with the reason's name, so that it can be told in other languages than English. `place` writes a path as the
 * caller's answers do.
 */
export function faultsOf(issues: readonly z.core.$ZodIssue[], place: (path: PropertyKey[]) => string): Fault[] {
  return issues.flatMap(misfitsOf).map((misfit) => {
    const said = reasonOfSentence.get(misfit.message);
    return { path: place(misfit.path), message: misfit.message, ...(said === undefined ? schemaReason(misfit) : { reason: said }) };
  });
}

/** Path of a fault within a document. */
export const inDocument = (path: PropertyKey[]): string => path.map(String).join(".");

type SchemaWhy = { reason: SchemaReason; values?: Record<string, string | number> };
const lists = ["array", "set", "map", "file"];

function schemaReason(issue: Misfit): SchemaWhy | Record<string, never> {
  switch (issue.code) {
    case "invalid_type":
      // The value itself isn't in the issue.
      return issue.message.endsWith("received undefined")
        ? { reason: "missing" }
        : { reason: "wrong-type", values: { expected: issue.expected } };
    case "too_small":
      return bound(issue.origin, "minimum", Number(issue.minimum));
    case "too_big":
      return bound(issue.origin, "maximum", Number(issue.maximum));
    case "not_multiple_of":
      return { reason: "not-a-multiple", values: { divisor: issue.divisor } };
    case "unrecognized_keys":
      return { reason: "fields-unknown", values: { names: issue.keys.slice(0, 10).join(", ") } };
    case "invalid_value":
      return { reason: "not-offered", values: { offered: issue.values.slice(0, 20).map(String).join(", ") } };
    case "wrong-kind":
      return { reason: "wrong-kind", values: { kinds: issue.kinds } };
    case "no-alternative":
      return { reason: "no-alternative", values: { names: issue.names.slice(0, 20).join(", ") } };
    case "invalid_format":
      return { reason: issue.format === "email" ? "email-form" : issue.format === "url" ? "address-form" : "form" };
    default:
      // A custom check's own message stands as it is.
      return {};
  }
}

function bound(origin: string, side: "minimum" | "maximum", limit: number): SchemaWhy {
  const values = { [side]: limit };
  if (side === "minimum" && limit === 1 && (origin === "string" || lists.includes(origin))) return { reason: "empty" };
  if (origin === "string") return { reason: side === "minimum" ? "text-too-short" : "text-too-long", values };
  if (lists.includes(origin)) return { reason: side === "minimum" ? "list-too-short" : "list-too-long", values };
  return { reason: side === "minimum" ? "number-too-small" : "number-too-big", values };
}
