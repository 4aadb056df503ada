import type { Address, CanonicalDocuments, EntityType, Money } from "@crossdock/contract";

/** A document's fields, each with its own; through lists. What has names of the sender's own has none. */
type FieldsOf<Value> = Value extends readonly (infer Entry)[]
  ? FieldsOf<NonNullable<Entry>>
  : Value extends object
    ? string extends keyof Value
      ? true
      : { [Name in keyof Value]-?: FieldsOf<NonNullable<Value[Name]>> }
    : true;

const money: FieldsOf<Money> = { amount: true, currency: true };

const address: FieldsOf<Address> = {
  name: true,
  company: true,
  street: true,
  postalCode: true,
  city: true,
  region: true,
  country: true,
  countryName: true,
  phone: true,
};

/** The fields of every canonical document; the compiler asks for one that is missing and refuses one that is none. */
const fields: { [Type in EntityType]: FieldsOf<Omit<CanonicalDocuments[Type], "schemaVersion">> } = {
  item: {
    sku: true,
    name: true,
    description: true,
    descriptionFormat: true,
    group: { key: true, name: true, isActive: true },
    options: { name: true, value: true },
    brand: true,
    categories: true,
    tags: true,
    barcode: true,
    weight: { value: true, unit: true },
    images: { url: true, altText: true },
    unit: true,
    taxCode: true,
    isActive: true,
    deletedAt: true,
    attributes: true,
    updatedAt: true,
  },
  price: {
    sku: true,
    attributes: true,
    updatedAt: true,
    priceList: true,
    price: money,
    compareAtPrice: money,
    includesTax: true,
    taxRatePercent: true,
    tiers: { minimumQuantity: true, price: money },
    validFrom: true,
    validTo: true,
  },
  stock: {
    sku: true,
    unit: true,
    attributes: true,
    updatedAt: true,
    warehouse: true,
    quantity: true,
    incoming: { quantity: true, expectedAt: true },
  },
  order: {
    tags: true,
    attributes: true,
    updatedAt: true,
    orderNumber: true,
    kind: true,
    cancels: true,
    status: true,
    paymentStatus: true,
    fulfilmentStatus: true,
    orderedAt: true,
    cancelledAt: true,
    currency: true,
    pricesIncludeTax: true,
    customer: { customerNumber: true, email: true, phone: true, name: true },
    billingAddress: address,
    shippingAddress: address,
    lines: {
      lineNumber: true,
      kind: true,
      sku: true,
      description: true,
      quantity: true,
      unitPrice: money,
      discount: money,
      tax: money,
      taxRatePercent: true,
      total: money,
      attributes: true,
    },
    totals: {
      lines: money,
      discount: money,
      shipping: money,
      tax: money,
      total: money,
    },
    salesChannel: true,
    note: true,
  },
  shipment: {
    attributes: true,
    updatedAt: true,
    warehouse: true,
    orderNumber: true,
    status: true,
    shippingAddress: address,
    lines: { lineNumber: true, sku: true, quantity: true },
    shipmentNumber: true,
    shippedAt: true,
    carrier: true,
    service: true,
    tracking: { number: true, url: true },
  },
  customer: {
    tags: true,
    isActive: true,
    attributes: true,
    updatedAt: true,
    note: true,
    customerNumber: true,
    email: true,
    phone: true,
    firstName: true,
    lastName: true,
    company: true,
    vatNumber: true,
    country: true,
    countryName: true,
    acceptsMarketing: true,
    addresses: { ...address, isDefault: true },
  },
};

type Fields = true | { [name: string]: Fields };

function pathsOf(of: Fields, prefix = ""): string[] {
  if (of === true) return [];
  return Object.entries(of).flatMap(([name, inner]) => [prefix + name, ...pathsOf(inner, `${prefix}${name}.`)]);
}

/** A cell of a file can't say which of several it is; of an order's lines each row is one. */
const several = /^(?:options|images|tiers|addresses)\.|attributes$/;

/** The fields that a column of a file may fill. */
export function columnFields(type: EntityType): string[] {
  const paths = pathsOf(fields[type]);
  const hasParts = (path: string) => paths.some((other) => other.startsWith(`${path}.`));
  return paths.filter((path) => !several.test(path) && !hasParts(path));
}

/** Each field once, with the entity types that have it. */
export function knownFields(): { field: string; entityTypes: EntityType[] }[] {
  const types = Object.keys(fields) as EntityType[];
  const found = new Map<string, EntityType[]>();
  for (const type of types) for (const field of pathsOf(fields[type])) found.set(field, [...(found.get(field) ?? []), type]);
  return [...found].map(([field, entityTypes]) => ({ field, entityTypes })).toSorted((a, b) => (a.field < b.field ? -1 : 1));
}
