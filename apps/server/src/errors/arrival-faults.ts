import { namerOf } from "./faults.ts";

/**
 * The fault with its name, by which the console tells it in its language: what intake and connectors say of a message that they don't take
 * on. One that has a name, and a connector's other words, stay as they are.
 */
export const withName = namerOf([
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
  "variants-not-shown",
  "sku-repeated",
  "level-without-sku",
  "order-without-name",
  "test-order",
  "several-addresses",
  "fulfilment-without-name",
  "currency-unnamed",
]);
