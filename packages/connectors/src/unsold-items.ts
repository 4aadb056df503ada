import type { Item } from "@crossdock/contract";
import { verdictOfStatus } from "./answers.ts";
import { type Dead, type OutboundRequest, type Verdict, dead } from "./connector.ts";

export function isDeleted({ deletedAt }: Item): boolean {
  return deletedAt != null;
}

/** The delivery of an item that its source deleted: where the target doesn't have it any more either, there is nothing to take off sale. */
export function forgiving(request: OutboundRequest): OutboundRequest {
  return {
    ...request,
    read: (response): Verdict => {
      const verdict = request.read?.(response) ?? verdictOfStatus(response);
      if (verdict.kind === "dead" && verdict.error.class === "external-gone") return { kind: "delivered" };
      return verdict.kind === "next" ? { ...verdict, request: forgiving(verdict.request) } : verdict;
    },
  };
}

/** Of a system that has no place for it: written like any other, the item would stay on sale there, or come to it. */
export function unsoldFault({ isActive }: Item, system: string): Dead | null {
  return isActive
    ? null
    : dead(
        "not-sold",
        `${system} can't be told by its connector that an item is no longer sold: take it off sale there, then remove this message`,
      );
}
