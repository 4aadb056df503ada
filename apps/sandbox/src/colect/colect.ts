import { type Personality, type Reply, type Stage, isWrong } from "../personality.ts";
import { envelope, operationOf, textIn } from "../soap.ts";

const soap = "http://schemas.xmlsoap.org/soap/envelope/";
const api = 'xmlns:ns2="http://api.cc.salesapp.apptitude.nl/"';

function fault(message: string): Reply {
  return envelope(
    soap,
    `<soap:Fault><faultcode>soap:Server</faultcode><faultstring>Error</faultstring><detail><message>${message}</message></detail></soap:Fault>`,
    500,
  );
}

/** Colect: an empty answer is success, everything else a fault with status 500. Orders stay until they are marked. */
export function colect({ shelves }: Stage): Personality {
  const stores: Record<string, [kind: string, key: string]> = {
    storeProducts: ["products", "uniqueId"],
    storeCustomers: ["customers", "customerNo"],
    storeHistoricalOrders: ["orders", "orderNumber"],
    updateStock: ["stock", "productUniqueId"],
    updatePrices: ["prices", "productUniqueId"],
  };
  return {
    answer({ body }) {
      const operation = operationOf(body);
      if (isWrong(textIn(body, "apiKey"))) return fault("The provided API key is not valid for any collection");
      const product = textIn(body, "productUniqueId");
      if (operation.startsWith("update") && !shelves.of("products").has(product)) return fault("Unknown product reference");
      const store = stores[operation];
      if (store) shelves.merge(store[0], textIn(body, store[1]), { body });
      if (operation === "markOrdersAsProcessed") {
        for (const [, number] of body.matchAll(/<api:orderNumber>([^<]*)</g)) shelves.of("unprocessed").delete(number ?? "");
      }
      const waiting =
        operation === "getUnprocessedOrders" ? shelves.list("unprocessed").map(({ xml }) => `<ns2:return>${String(xml)}</ns2:return>`) : [];
      return envelope(soap, `<ns2:${operation}Response ${api}>${waiting.join("")}</ns2:${operation}Response>`);
    },
    throttled: () => fault("Rate limit exceeded"),
    refusedSoftly: () =>
      envelope(
        soap,
        "<soap:Fault><faultcode>soap:Server</faultcode><faultstring>Missing mandatory field: unknown</faultstring></soap:Fault>",
      ),
  };
}
