import type { EntityType } from "@crossdock/contract";

/** The least of each document that says something, for people to begin with. */
export const examples: Record<EntityType, object> = {
  item: { schemaVersion: 1, sku: "TEST-1", name: "Test item", options: [{ name: "Color", value: "Navy" }] },
  price: { schemaVersion: 1, sku: "TEST-1", price: { amount: "199.00", currency: "SEK" } },
  stock: { schemaVersion: 1, sku: "TEST-1", quantity: "5" },
  order: {
    schemaVersion: 1,
    orderNumber: "TEST-1",
    orderedAt: "2026-01-01T10:00:00Z",
    currency: "SEK",
    customer: null,
    lines: [{ lineNumber: "1", sku: "TEST-1", description: "Test item", quantity: "1", unitPrice: { amount: "199.00", currency: "SEK" } }],
  },
  shipment: {
    schemaVersion: 1,
    shipmentNumber: "TEST-1",
    orderNumber: "TEST-1",
    status: "shipped",
    lines: [{ sku: "TEST-1", quantity: "1" }],
  },
  customer: { schemaVersion: 1, customerNumber: "TEST-1", firstName: "Test", lastName: "Person" },
};
