import { type Personality, type Stage, fieldsOf, hasToken, isWrong, jsonOf, listOf, ok, routed, textOf } from "../personality.ts";

const addressTypes = new Set(["billing", "shipping", "billingAndShipping"]);

/** Litium's Connect ERP API: imports are accepted with 202 and reported on later. */
export function litium(stage: Stage): Personality {
  const { shelves, tokens, tokenSeconds } = stage;
  let isNextRefused = false;
  const api = "/Litium/api/connect/erp";
  const route = routed(
    {
      [`GET ${api}/webhooks/filters`]: () => ok([]),
      [`POST ${api}/imports`]: (call) => {
        const batch = jsonOf(call);
        const id = `report-${shelves.nextId()}`;
        const addresses = listOf(batch["persons"]).flatMap((person) => listOf(person["addresses"]));
        const isRefused = isNextRefused || addresses.some(({ type }) => !addressTypes.has(textOf(type)));
        isNextRefused = false;
        if (!isRefused) {
          for (const kind of ["products", "variants"])
            for (const each of listOf(batch[kind])) shelves.merge(kind, textOf(each["articleNumber"]), each);
          for (const person of listOf(batch["persons"])) shelves.merge("persons", textOf(person["id"]), person);
        }
        shelves.of("reports").set(id, { rounds: 0, isRefused });
        return ok({ importReportId: id }, 202);
      },
      [`GET ${api}/imports/:id`]: (_call, id) => {
        const report = fieldsOf(shelves.of("reports").get(id ?? ""));
        const rounds = Number(report["rounds"] ?? 0) + 1;
        shelves.merge("reports", id ?? "", { rounds });
        if (rounds < 2) return ok({ status: "inProgress", importRecords: [] });
        if (report["isRefused"] !== true)
          return ok({ status: "completed", importRecords: [{ importEntityId: "A-1", status: "success", errors: [] }] });
        const errors = [{ errorCode: "unknownField", description: "The field does not exist" }];
        return ok({
          status: "completedWithErrors",
          importRecords: [{ importEntityId: "A-1", importEntityType: "variant", status: "failed", errors }],
        });
      },
      [`PUT ${api}/prices/:list/items`]: (call, list) => {
        for (const item of listOf(JSON.parse(call.body))) shelves.merge("prices", `${textOf(item["articleNumber"])}@${list ?? ""}`, item);
        return ok(null, 200);
      },
      [`PUT ${api}/inventories/:inventory/items`]: (call, inventory) => {
        for (const item of listOf(JSON.parse(call.body)))
          shelves.merge("stock", `${textOf(item["articleNumber"])}@${inventory ?? ""}`, item);
        return ok(null, 200);
      },
      [`GET ${api}/orders/:id`]: (_call, id) => ok(orderOf(id)),
      [`POST ${api}/orders/:id/notify/exported`]: (_call, id) => {
        shelves.merge("orders", id ?? "", { isExported: true });
        return ok(null, 200);
      },
      [`POST ${api}/orders/:id/shipments`]: (call, id) => {
        const shipment = jsonOf(call);
        if (shelves.of("shipments").has(textOf(shipment["id"])))
          return ok({ title: "Conflict", status: 400, detail: "The shipment exists." }, 400);
        shelves.merge("shipments", textOf(shipment["id"]), { ...shipment, orderId: id });
        return ok(shipment);
      },
      [`PUT ${api}/orders/:id/shipments/:shipment/tracking`]: (call, _id, shipment) =>
        ok(shelves.merge("shipments", shipment ?? "", jsonOf(call))),
      [`POST ${api}/orders/:id/shipments/:shipment/notify/delivered`]: () => ok(null, 200),
    },
    ok({ title: "Not Found", status: 404 }, 404),
  );
  /** Any order is there: the shop is where orders come from. */
  function orderOf(id = "") {
    const shipments = shelves.list("shipments").filter((shipment) => shipment["orderId"] === id);
    const row = { id: "1", type: "product", articleNumber: "A-1", quantity: 3, unitPriceExcludingVat: 100, unitPriceIncludingVat: 125 };
    const rows = [{ ...row, vatRate: 0.25, totalExcludingVat: 300, totalIncludingVat: 375, totalVat: 75 }];
    const order = { id, currencyCode: "SEK", orderCreatedAt: "2025-11-21T08:00:00Z", grandTotal: 375, totalVat: 75, rows };
    return { ...order, shipments, ...shelves.of("orders").get(id) };
  }
  return {
    answer(call) {
      if (call.path === "/Litium/OAuth/Token") {
        const form = new URLSearchParams(call.body);
        if (isWrong(form.get("client_secret") ?? "")) return ok({ error: "invalid_client" }, 400);
        return ok({ access_token: tokens.make(), token_type: "Bearer", expires_in: tokenSeconds() });
      }
      return hasToken(call, stage) ? route(call) : ok({ title: "Unauthorized", status: 401 }, 401);
    },
    throttled: (seconds) => ({
      status: 429,
      ...(seconds === null ? {} : { headers: { "retry-after": String(Math.ceil(seconds)) } }),
      body: { title: "Too Many Requests", status: 429 },
    }),
    refusedSoftly(call) {
      isNextRefused = true;
      return this.answer(call);
    },
  };
}
