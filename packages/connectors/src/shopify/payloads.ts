import { z } from "zod";
import { listOf, toAmount } from "../foreign.ts";
import { reasons } from "@crossdock/contract";
import { textOrNull } from "./texts.ts";

/**
 * What is read of Shopify's payloads, and nothing else. Values come out as text: ids go beyond 2^31 and, in tests of other
 * implementations, come quoted; amounts come as text or, in refunds and old versions, as numbers.
 */
const Id = z.union([z.int().nonnegative().transform(String), z.string().regex(/^[0-9]{1,20}$/, reasons["id-form"])]);

const Amount = z.union([z.string(), z.number()]).transform((value, context) => {
  const decimal = toAmount(value);
  if (decimal !== null) return decimal;
  context.addIssue({ code: "custom", message: reasons["decimal-number"] });
  return z.NEVER;
});

const Time = z.iso.datetime({ offset: true, error: reasons["time-form"] });
const Text = z.string();
/** Shops keep skus with blanks at their ends, which people don't see; a sku of the hub's has none. */
export const Sku = Text.nullish().transform((sku) => textOrNull(sku?.trim()));
const MoneySet = z.object({ shop_money: z.object({ amount: Amount, currency_code: Text }) });
const TaxLines = listOf(z.object({ price: Amount.nullish(), rate: Amount.nullish() })).nullish();
const Allocations = listOf(z.object({ amount: Amount })).nullish();

export const Address = z.object({
  name: Text.nullish(),
  first_name: Text.nullish(),
  last_name: Text.nullish(),
  company: Text.nullish(),
  address1: Text.nullish(),
  address2: Text.nullish(),
  zip: Text.nullish(),
  city: Text.nullish(),
  province: Text.nullish(),
  country: Text.nullish(),
  country_code: Text.nullish(),
  phone: Text.nullish(),
  default: z.boolean().nullish(),
});
export type Address = z.infer<typeof Address>;

export const Variant = z.object({
  id: Id,
  title: Text.nullish(),
  sku: Sku,
  barcode: Text.nullish(),
  price: Amount.nullish(),
  compare_at_price: z.union([z.literal("").transform(() => null), Amount]).nullish(),
  option1: Text.nullish(),
  option2: Text.nullish(),
  option3: Text.nullish(),
  weight: Amount.nullish(),
  weight_unit: Text.nullish(),
  inventory_item_id: Id.nullish(),
  inventory_management: Text.nullish(),
  inventory_quantity: Amount.nullish(),
  presentment_prices: listOf(z.object({ price: z.object({ amount: Amount, currency_code: Text }) })).nullish(),
  updated_at: Time.nullish(),
});
export type Variant = z.infer<typeof Variant>;

export const Product = z.object({
  id: Id,
  /** As much of it as an item's name may have: each variant's begins with it. */
  title: Text.max(1_000).nullish(),
  body_html: Text.nullish(),
  vendor: Text.nullish(),
  product_type: Text.nullish(),
  status: Text.nullish(),
  tags: z.union([Text, listOf(Text)]).nullish(),
  options: listOf(z.object({ name: Text })).nullish(),
  images: listOf(z.object({ src: Text.nullish(), alt: Text.nullish() })).nullish(),
  variants: listOf(Variant).nullish(),
  /** All of them, where the message holds the first ones only. */
  variant_gids: z.array(z.unknown()).nullish(),
  updated_at: Time.nullish(),
});
export type Product = z.infer<typeof Product>;

export const Deleted = z.object({ id: Id });

export const InventoryLevel = z.object({
  inventory_item_id: Id,
  location_id: Id,
  available: Amount.nullable(),
  sku: Sku,
  updated_at: Time.nullish(),
});
export type InventoryLevel = z.infer<typeof InventoryLevel>;

const NamedValue = z.object({ name: Text, value: z.unknown() });
/** Apps put what they like in here: what is no name and value is nobody's loss. */
const NamedValues = listOf(NamedValue.nullable().catch(null))
  .nullish()
  .catch(null)
  .transform((values) => (values ?? []).filter((value) => value !== null));

const LineItem = z.object({
  id: Id.nullish(),
  sku: Sku,
  name: Text.nullish(),
  title: Text.nullish(),
  quantity: Amount,
  current_quantity: Amount.nullish(),
  price: Amount,
  variant_id: Id.nullish(),
  discount_allocations: Allocations,
  total_discount: Amount.nullish(),
  tax_lines: TaxLines,
  properties: NamedValues,
  /** How it was paid; only a tip has it. */
  tip: z.unknown().optional(),
});
export type LineItem = z.infer<typeof LineItem>;

const ShippingLine = z.object({
  id: Id.nullish(),
  title: Text.nullish(),
  code: Text.nullish(),
  price: Amount,
  is_removed: z.boolean().nullish(),
  discount_allocations: Allocations,
  tax_lines: TaxLines,
});
export type ShippingLine = z.infer<typeof ShippingLine>;

export const Fulfillment = z.object({
  id: Id,
  name: Text.nullish(),
  order_id: Id.nullish(),
  status: Text.nullish(),
  shipment_status: Text.nullish(),
  created_at: Time.nullish(),
  updated_at: Time.nullish(),
  location_id: Id.nullish(),
  service: Text.nullish(),
  tracking_company: Text.nullish(),
  tracking_number: Text.nullish(),
  tracking_numbers: listOf(Text).nullish(),
  tracking_url: Text.nullish(),
  tracking_urls: listOf(Text).nullish(),
  line_items: listOf(z.object({ id: Id.nullish(), sku: Sku, quantity: Amount })).nullish(),
});
export type Fulfillment = z.infer<typeof Fulfillment>;

export const Customer = z.object({
  id: Id,
  email: Text.nullish(),
  phone: Text.nullish(),
  first_name: Text.nullish(),
  last_name: Text.nullish(),
  state: Text.nullish(),
  note: Text.nullish(),
  tags: z.union([Text, listOf(Text)]).nullish(),
  accepts_marketing: z.boolean().nullish(),
  email_marketing_consent: z.object({ state: Text.nullish() }).nullish(),
  addresses: listOf(Address).nullish(),
  default_address: Address.nullish(),
  updated_at: Time.nullish(),
});
export type Customer = z.infer<typeof Customer>;

export const Order = z.object({
  id: Id,
  name: Text.nullish(),
  order_number: Id.nullish(),
  email: Text.nullish(),
  phone: Text.nullish(),
  currency: Text,
  created_at: Time,
  processed_at: Time.nullish(),
  updated_at: Time.nullish(),
  cancelled_at: Time.nullish(),
  closed_at: Time.nullish(),
  financial_status: Text.nullish(),
  fulfillment_status: Text.nullish(),
  taxes_included: z.boolean().nullish(),
  total_line_items_price: Amount.nullish(),
  total_discounts: Amount.nullish(),
  total_shipping_price_set: MoneySet.nullish(),
  total_tax: Amount.nullish(),
  total_price: Amount.nullish(),
  current_total_price: Amount.nullish(),
  duties_included: z.boolean().nullish(),
  original_total_duties_set: MoneySet.nullish(),
  current_total_duties_set: MoneySet.nullish(),
  original_total_additional_fees_set: MoneySet.nullish(),
  current_total_additional_fees_set: MoneySet.nullish(),
  note: Text.nullish(),
  note_attributes: NamedValues,
  tags: z.union([Text, listOf(Text)]).nullish(),
  source_name: Text.nullish(),
  po_number: Text.nullish(),
  customer: z
    .object({ id: Id.nullish(), email: Text.nullish(), phone: Text.nullish(), first_name: Text.nullish(), last_name: Text.nullish() })
    .nullish(),
  billing_address: Address.nullish(),
  shipping_address: Address.nullish(),
  line_items: listOf(LineItem).default([]),
  shipping_lines: listOf(ShippingLine).nullish(),
  fulfillments: listOf(Fulfillment).nullish(),
});
export type Order = z.infer<typeof Order>;
