import { z } from "zod";
import { type Dead, type OutboundRequest, type Verdict, dead } from "../connector.ts";
import { htmlOf } from "../descriptions.ts";
import { Text } from "../foreign.ts";
import { Anything, type Call, delivered, later, next } from "../json-call.ts";
import { foreignCurrency } from "../price-guards.ts";
import { isDeleted } from "../unsold-items.ts";
import { convertWeight } from "../weights.ts";
import { type Delivery, call, handIn, isComplete, listOf, searchCriteria, storeTime } from "./call.ts";

const Known = listOf(z.object({ sku: z.string() }));

function bySku(sku: string): Call {
  return { method: "GET", path: `V1/products?${searchCriteria([["sku", "eq", sku]], 10)}&fields=items[sku]` };
}

/**
 * Saving by sku makes or changes. New products need a set of attributes and a price; known ones keep the price they have. The sku never stands
 * in the path: Apache answers a slash in it with a 404 of its own, and a product taken for new would be written over.
 */
export function deliverItem(delivery: Delivery<"item">): OutboundRequest | Dead {
  const { document, input, settings } = delivery;
  const missing = isComplete(delivery.credentials);
  if (missing) return missing;
  const save = (isNew: boolean): OutboundRequest => {
    const product = {
      sku: document.sku,
      ...(document.name == null && !isNew ? {} : { name: document.name ?? document.sku }),
      status: document.isActive ? 1 : 2,
      ...(document.weight == null ? {} : { weight: convertWeight(document.weight, settings.weightUnit) }),
      ...(isNew ? { attribute_set_id: settings.attributeSetId, type_id: "simple", visibility: 4, price: 0 } : {}),
      ...(document.description == null ? {} : { custom_attributes: [{ attribute_code: "description", value: htmlOf(document) }] }),
    };
    const work = { method: "POST", path: "V1/products", body: { product } } as const;
    if (settings.isAsynchronous) return handIn(delivery, work, document.sku);
    return call(delivery, work, Anything, () => delivered(document.sku));
  };
  // A product that is not there any more would be made anew by its change.
  if (input.externalId !== null && !isDeleted(document)) return save(false);
  return call(delivery, bySku(document.sku), Known, ({ items }) => {
    if (items.some(({ sku }) => sku === document.sku)) return next(save(false));
    // Skus that differ in letter case only are one product there: the second would be written over the first.
    if (items.length > 0) return dead("key", "the store has this sku in other letter case, which it takes for the same");
    return isDeleted(document) ? delivered() : next(save(true));
  });
}

export function deliverPrice(delivery: Delivery<"price">): OutboundRequest | Dead {
  const { document, settings } = delivery;
  const missing = isComplete(delivery.credentials);
  if (missing) return missing;
  if (document.priceList !== settings.priceList) return dead("price-list", `the store takes price list ${settings.priceList} only`);
  const isReduced = document.compareAtPrice != null;
  const ordinary = document.compareAtPrice ?? document.price;
  const prices = [{ sku: document.sku, store_id: settings.storeId, price: Number(ordinary.amount) }];
  const write = (timeZone: string) =>
    orUnknown(
      call(delivery, { method: "POST", path: "V1/products/base-prices", body: { prices } }, Anything, () =>
        next(isReduced ? reduce(delivery, timeZone) : endSpecial(delivery)),
      ),
    );
  const needsClock = isReduced && (document.validFrom ?? document.validTo) != null;
  if (settings.currency !== undefined && !needsClock) return foreignCurrency(document, settings.currency) ?? write("UTC");
  const read = (views: z.output<typeof StoreConfigs>): Verdict => {
    const own = views.find(({ code }) => code === settings.storeCode) ?? views[0];
    if (!own) return dead("configuration", "the store doesn't tell its currency: name it in the settings");
    return foreignCurrency(document, settings.currency ?? own.base_currency_code) ?? next(write(own.timezone ?? "UTC"));
  };
  // Who may not read them names the currency in the settings.
  const { currency } = settings;
  const unread = currency === undefined ? {} : { 401: () => foreignCurrency(document, currency) ?? next(write("UTC")) };
  return call(delivery, { method: "GET", path: "V1/store/storeConfigs" }, StoreConfigs, read, unread);
}

const unknown = later("item-unknown", "the store has no product with this sku yet");

/** A price may be faster than its product. */
function orUnknown(request: OutboundRequest): OutboundRequest {
  const { read } = request;
  return read ? { ...request, read: (response) => unlessUnknown(read(response)) } : request;
}

function unlessUnknown(verdict: Verdict): Verdict {
  if (verdict.kind !== "dead" || !/invalid attribute SKU|product that was requested doesn't exist/i.test(verdict.error.message))
    return verdict;
  return unknown;
}

/** Prices are in the base currency of the store view's website. */
const StoreConfigs = z.array(z.object({ code: z.string().nullish(), base_currency_code: z.string(), timezone: Text }));

const Modules = z.array(z.string());

const SpecialPrices = z.array(z.looseObject({ sku: z.string(), store_id: z.int(), price_from: Text, price_to: Text }));

/** The store's schedule knows no later moment. */
const lastMoment = "2038-01-19T03:14:07Z";
/** The end of a reduction without one, and of what lasts longer: sources write 9999-12-31 for ever. */
const openEnd = "2100-01-01";

const endsBefore = (time: string | null | undefined, latest: string): time is string =>
  time != null && Date.parse(time) < Date.parse(latest);

/** What the store's own clock shows at a moment. */
function localTime(ms: number, timeZone: string): string {
  return new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" }).format(ms);
}

/**
 * Open Source reads a reduction's times by the store's clock. Its end is a day, to the last moment of which the reduction lasts; of an end with a
 * time many versions make one a day later. https://github.com/magento/magento2/issues/39169
 */
function periodOf({ validFrom, validTo }: Delivery<"price">["document"], timeZone: string): [from: string, to: string] {
  const from = validFrom == null ? "2000-01-01 00:00:00" : localTime(Date.parse(validFrom), timeZone);
  const to = endsBefore(validTo, openEnd) ? localTime(Date.parse(validTo) - 1000, timeZone).slice(0, 10) : openEnd;
  return [from, `${to} 00:00:00`];
}

/**
 * Adobe Commerce makes a reduction a scheduled update, which begins in the future and ends before 2038, both to the second and by UTC, and
 * refuses two that overlap: one that lasts until the same end is changed where it stands. By its refusal of a beginning in the past it is known;
 * before a beginning that is still to come it is asked for its modules. https://developer.adobe.com/commerce/webapi/rest/modules/catalog/catalog-pricing/
 */
function reduce(delivery: Delivery<"price">, timeZone: string): OutboundRequest {
  const { document, input, settings } = delivery;
  const { now } = input;
  const write = (price_from: string, price_to: string): OutboundRequest => {
    const prices = [{ sku: document.sku, store_id: settings.storeId, price: Number(document.price.amount), price_from, price_to }];
    return call(delivery, { method: "POST", path: "V1/products/special-price", body: { prices } }, Anything, () => writeTiers(delivery));
  };
  const schedule = (at: Date): OutboundRequest => {
    const { validFrom, validTo } = document;
    const starts = validFrom == null ? null : storeTime(validFrom);
    const soon = storeTime(new Date(at.getTime() + 60_000).toISOString());
    const from = starts !== null && starts > soon ? starts : soon;
    const to = storeTime(endsBefore(validTo, lastMoment) ? validTo : lastMoment);
    const question = { method: "POST", path: "V1/products/special-price-information", body: { skus: [document.sku] } } as const;
    return call(delivery, question, SpecialPrices, (found) => {
      const known = found
        .filter(({ sku, store_id: storeId }) => sku === document.sku && storeId === settings.storeId)
        .find(
          (price) =>
            price.price_to === to && price.price_from !== null && (from === starts ? price.price_from === from : price.price_from <= from),
        );
      return next(write(known?.price_from ?? from, to));
    });
  };
  const dated = write(...periodOf(document, timeZone));
  const { read } = dated;
  if (!read || now === undefined) return dated;
  if (document.validFrom != null && Date.parse(document.validFrom) > now.getTime())
    return call(
      delivery,
      { method: "GET", path: "V1/modules" },
      Modules,
      (modules) => next(modules.includes("Magento_CatalogStaging") ? schedule(now) : dated),
      // Who may not read them writes as Open Source has it.
      { 401: () => next(dated) },
    );
  const orScheduled = (verdict: Verdict): Verdict =>
    verdict.kind === "dead" && verdict.error.class === "refused" ? next(schedule(now)) : verdict;
  return { ...dated, read: (response) => orScheduled(read(response)) };
}

/** A price that is not reduced ends the reduction before it, which would last for as long as that one said. */
function endSpecial(delivery: Delivery<"price">): OutboundRequest {
  const { document, settings } = delivery;
  const path = "V1/products/special-price-information";
  return call(delivery, { method: "POST", path, body: { skus: [document.sku] } }, SpecialPrices, (found) => {
    const prices = found.filter(({ sku, store_id: storeId }) => sku === document.sku && storeId === settings.storeId);
    if (prices.length === 0) return writeTiers(delivery);
    return next(
      call(delivery, { method: "POST", path: "V1/products/special-price-delete", body: { prices } }, Anything, () => writeTiers(delivery)),
    );
  });
}

const TierPrices = z.array(
  z.looseObject({ sku: z.string(), website_id: z.int(), customer_group: z.string(), price_type: z.string(), quantity: z.number() }),
);
const forAll = { website_id: 0, customer_group: "ALL GROUPS", price_type: "fixed" } as const;

/** The store takes it in any letter case and tells it in small letters. */
function isForAll(group: string): boolean {
  return group.toUpperCase() === forAll.customer_group;
}

/** Prices from a quantity on, for everybody: those that people made for one website or group of customers stay. */
function writeTiers(delivery: Delivery<"price">): Verdict {
  const { sku, tiers } = delivery.document;
  if (tiers == null) return delivered();
  const wanted = tiers.map(({ minimumQuantity, price }) => ({
    ...forAll,
    sku,
    quantity: Number(minimumQuantity),
    price: Number(price.amount),
  }));
  const write = (prices: object[], path: string, then: () => Verdict): Verdict =>
    prices.length === 0 ? then() : next(call(delivery, { method: "POST", path, body: { prices } }, Anything, then));
  const question = { method: "POST", path: "V1/products/tier-prices-information", body: { skus: [sku] } } as const;
  return next(
    call(delivery, question, TierPrices, (found) => {
      const over = found
        .filter((tier) => tier.sku === sku && tier.website_id === forAll.website_id && isForAll(tier.customer_group))
        .filter((tier) => tier.price_type !== forAll.price_type || !wanted.some(({ quantity }) => quantity === tier.quantity));
      return write(over, "V1/products/tier-prices-delete", () => write(wanted, "V1/products/tier-prices", () => delivered()));
    }),
  );
}

/**
 * Stock of an unknown sku is taken as well, and becomes none once its product is made: so it waits for it, until it was written once. Who may
 * not read products writes it all the same. https://github.com/magento/magento2/issues/38154
 */
export function deliverStock(delivery: Delivery<"stock">): OutboundRequest | Dead {
  const { document, input, settings } = delivery;
  const missing = isComplete(delivery.credentials);
  if (missing) return missing;
  const source = Object.hasOwn(settings.sources, document.warehouse) ? settings.sources[document.warehouse] : undefined;
  if (source === undefined)
    return dead("mapping-missing", `mapping missing: no source for warehouse '${document.warehouse}' in the settings`);
  const quantity = Number(document.quantity);
  const sourceItems = [{ sku: document.sku, source_code: source, quantity, status: quantity > 0 ? 1 : 0 }];
  const write = () =>
    call(delivery, { method: "POST", path: "V1/inventory/source-items", body: { sourceItems } }, Anything, () => delivered(document.sku));
  if (input.externalId !== null) return write();
  const read = ({ items }: z.output<typeof Known>) => (items.length > 0 ? next(write()) : unknown);
  return call(delivery, bySku(document.sku), Known, read, { 401: () => next(write()) });
}
