import { reasons, type Fault, type RefusalReason } from "@crossdock/contract";

/** What intake and connectors say of a message that they don't take on; a connector's other words stay as they are. */
const arrivalReasons = [
  "message-too-large",
  "message-not-stored",
  "message-not-translated",
  "message-empty",
  "message-type-not-taken",
  "body-encoding",
  "body-nul",
  "body-nul-escaped",
  "body-not-json",
  "body-not-json-at",
  "body-too-deep",
  "header-missing",
  "document-missing",
  "not-an-object",
  "message-kind-unknown",
  "topic-not-moved",
  "topic-removal",
  "topic-empty",
  "type-not-received",
  "expression-failed",
  "variant-without-sku",
  "level-without-sku",
  "order-without-name",
  "fulfilment-without-name",
  "currency-unnamed",
] as const satisfies readonly RefusalReason[];

const patterns = arrivalReasons.map((reason) => {
  const source = RegExp.escape(reasons[reason]).replace(/\\\{(\w+)\\\}/g, "(?<$1>.+)");
  return { reason, pattern: new RegExp(`^${source}$`, "s") };
});

/** The fault with its name, by which the console tells it in its language; one that has a name, or none that is known, as it is. */
export function withName(fault: Fault): Fault {
  if (fault.reason !== undefined) return fault;
  for (const { reason, pattern } of patterns) {
    const found = pattern.exec(fault.message);
    if (found) return { ...fault, reason, ...(found.groups && { values: { ...found.groups } }) };
  }
  return fault;
}
