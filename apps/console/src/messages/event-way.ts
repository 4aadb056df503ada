import type { ObjectTrace } from "@crossdock/contract";
import { linkOptions, type LinkProps } from "@tanstack/react-router";
import type { TraceEvent } from "./object-trace.ts";

/** Where that is shown which happened: the external message, the version of the object, the message, what the target calls it. */
export function wayTo(
  { key, entityType, subtenantCode, isDevelopment }: ObjectTrace,
  { id, kind }: Pick<TraceEvent, "id" | "kind">,
): LinkProps {
  const [first = "", second = ""] = id.split(" ");
  if (kind === "received") return linkOptions({ to: "/externalmessages/details/$messageId", params: { messageId: second } });
  if (kind === "version") {
    const object = { entity: entityType ?? "", object: key ?? "", of: subtenantCode ?? "", version: second };
    return linkOptions({ to: "/entities", search: { ...object, ...(isDevelopment && { test: "true" }) } });
  }
  if (kind === "external-id") return linkOptions({ to: "/externalitems", search: { key: key ?? "", entity: entityType ?? "" } });
  return linkOptions({ to: "/queue/details/$messageId", params: { messageId: first } });
}
