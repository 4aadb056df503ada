import {
  type Call,
  type Fields,
  type Ids,
  type Reply,
  type Resource,
  Table,
  fieldsIn,
  invalid,
  isFields,
  limitOf,
  missing,
  moneyOf,
  notFound,
  ok,
  textOf,
  wrapped,
} from "./call.ts";

export const emptyGoods = () => ({
  products: new Map<number, Resource>(),
  variants: new Map<number, Resource>(),
  inventoryItems: new Map<number, Resource>(),
  levels: new Map<string, Fields>(),
  bySku: new Map<string, Resource>(),
  byProduct: new Map<number, Set<Resource>>(),
  byHandle: new Map<string, Resource>(),
});
/** As many as REST shows of a product, and GraphQL in a page. */
const variantsShownMax = 100;

type GoodsMemory = ReturnType<typeof emptyGoods>;

/** Products, their variants, and how many of each lie at which location. */
export class Goods {
  readonly products: Table;
  readonly variants: Table;
  readonly inventoryItems: Table;
  readonly locations: Table;
  readonly #levels: GoodsMemory["levels"];
  readonly #bySku: GoodsMemory["bySku"];
  readonly #byProduct: GoodsMemory["byProduct"];
  readonly #byHandle: GoodsMemory["byHandle"];

  constructor(ids: Ids, memory: GoodsMemory) {
    this.products = new Table(ids, memory.products);
    this.variants = new Table(ids, memory.variants);
    this.inventoryItems = new Table(ids, memory.inventoryItems);
    this.#levels = memory.levels;
    this.#bySku = memory.bySku;
    this.#byProduct = memory.byProduct;
    this.#byHandle = memory.byHandle;
    this.locations = new Table(ids, new Map());
    this.locations.rows.set(655441491, {
      id: 655441491,
      name: "Main warehouse",
      active: true,
      country_code: "SE",
      created_at: "2026-01-01T00:00:00+00:00",
      updated_at: "2026-01-01T00:00:00+00:00",
    });
  }

  createProduct({ body }: Call): Reply {
    const fields = wrapped(body, "product");
    if (!fields) return missing("product");
    const title = textOf(fields["title"]).trim();
    if (title === "") return invalid({ title: ["can't be blank"] });
    const product = this.products.create({
      title,
      body_html: fields["body_html"] ?? null,
      vendor: fields["vendor"] ?? "",
      product_type: fields["product_type"] ?? "",
      handle: this.#freeHandle(textOf(fields["handle"], title)),
      status: fields["status"] ?? "active",
      tags: tagsOf(fields["tags"]),
      options: fields["options"] ?? [{ name: "Title", position: 1, values: ["Default Title"] }],
      images: fieldsIn(fields["images"]),
    });
    this.#byHandle.set(textOf(product["handle"]), product);
    this.#byProduct.set(product.id, new Set());
    const variants = fieldsIn(fields["variants"]);
    for (const variant of variants.length > 0 ? variants : [{}]) this.#addVariant(product, variant);
    return ok({ product: this.#show(product) }, 201);
  }

  updateProduct({ ids: [id], body }: Call): Reply {
    const [product, fields] = [this.products.get(id), wrapped(body, "product")];
    if (!product) return notFound;
    if (!fields) return missing("product");
    const { variants, tags, handle: _handle, ...others } = fields;
    if ("title" in others && textOf(others["title"]).trim() === "") return invalid({ title: ["can't be blank"] });
    this.products.update(product, { ...others, ...(tags === undefined ? {} : { tags: tagsOf(tags) }) });
    if (variants !== undefined) this.#replaceVariants(product, fieldsIn(variants));
    return ok({ product: this.#show(product) });
  }

  getProduct({ ids: [id] }: Call): Reply {
    const product = this.products.get(id);
    return product ? ok({ product: this.#show(product) }) : notFound;
  }

  listProducts({ query }: Call): Reply {
    const handle = query.get("handle");
    const byHandle = handle === null ? undefined : this.#byHandle.get(handle);
    const products = handle === null ? this.products.list(query, "vendor", "status") : byHandle ? [byHandle] : [];
    return ok({ products: products.map((product) => this.#show(product)) });
  }

  deleteProduct({ ids: [id] }: Call): Reply {
    const product = this.products.get(id);
    if (!product) return notFound;
    this.#replaceVariants(product, []);
    this.products.rows.delete(product.id);
    this.#byProduct.delete(product.id);
    this.#byHandle.delete(textOf(product["handle"]));
    return ok({});
  }

  createVariant({ ids: [productId], body }: Call): Reply {
    const [product, fields] = [this.products.get(productId), wrapped(body, "variant")];
    if (!product) return notFound;
    if (!fields) return missing("variant");
    const title = titleOf(fields);
    if (this.#variantsOf(product).some((variant) => titleOf(variant) === title)) {
      return invalid({ base: [`The variant '${title}' already exists. Please change at least one option value.`] });
    }
    return ok({ variant: this.#addVariant(product, fields) }, 201);
  }

  updateVariant({ ids: [id], body }: Call): Reply {
    const [variant, fields] = [this.variants.get(id), wrapped(body, "variant")];
    if (!variant) return notFound;
    if (!fields) return missing("variant");
    if ("price" in fields && Number(fields["price"]) < 0) return invalid({ price: ["must be greater than or equal to 0"] });
    this.#writeVariant(variant, fields);
    return ok({ variant });
  }

  getVariant({ ids: [id] }: Call): Reply {
    const variant = this.variants.get(id);
    return variant ? ok({ variant }) : notFound;
  }

  bySku(sku: string): Resource | undefined {
    return this.#bySku.get(sku);
  }

  /** A hundred variants behind the first `start` ones as GraphQL shows them; null where there is no such product. */
  variantsPage(productId: number, start: number): Fields | null {
    const product = this.products.get(productId);
    if (!product) return null;
    const variants = this.#variantsOf(product);
    const end = start + variantsShownMax;
    return {
      nodes: variants.slice(start, end).map((variant) => ({
        legacyResourceId: String(variant.id),
        title: variant["title"],
        sku: variant["sku"],
        barcode: variant["barcode"],
        price: variant["price"],
        compareAtPrice: variant["compare_at_price"],
        inventoryQuantity: this.#quantityOf(variant),
        updatedAt: variant.updated_at,
        selectedOptions: ["option1", "option2", "option3"].flatMap((name) =>
          variant[name] === null || variant[name] === undefined ? [] : [{ value: variant[name] }],
        ),
        inventoryItem: {
          legacyResourceId: textOf(variant["inventory_item_id"]),
          tracked: this.inventoryItems.get(Number(variant["inventory_item_id"]))?.["tracked"] === true,
          measurement: { weight: null },
        },
      })),
      pageInfo: { hasNextPage: end < variants.length, endCursor: String(end) },
    };
  }

  setLevel({ body }: Call): Reply {
    return this.#level(body, "available", (_current, available) => available);
  }

  adjustLevel({ body }: Call): Reply {
    return this.#level(body, "available_adjustment", (current, change) => current + change);
  }

  listLevels({ query }: Call): Reply {
    const place = placeOf(query);
    if (!place) return { status: 400, answer: { errors: { page_info: "Invalid value." } } };
    const asked = new URLSearchParams(place.asked);
    const [locations, items] = ["location_ids", "inventory_item_ids"].map((name) => asked.get(name)?.split(","));
    if (!locations && !items) return invalid("One of inventory_item_ids or location_ids must be provided");
    const since = Date.parse(asked.get("updated_at_min") ?? "");
    const levels = [...this.#levels.values()].filter(
      (level) =>
        isAsked(locations, level["location_id"]) &&
        isAsked(items, level["inventory_item_id"]) &&
        !(Date.parse(textOf(level["updated_at"])) < since),
    );
    const end = place.start + limitOf(query);
    const answer = { inventory_levels: levels.slice(place.start, end) };
    if (end >= levels.length) return ok(answer);
    const next = Buffer.from(JSON.stringify({ asked: place.asked, start: end })).toString("base64url");
    const link = `<https://shop.example.com/admin/api/2026-07/inventory_levels.json?limit=${limitOf(query)}&page_info=${next}>; rel="next"`;
    return { ...ok(answer), headers: { link } };
  }

  #level(body: Fields, name: string, change: (current: number, value: number) => number): Reply {
    const { location_id: locationId, inventory_item_id: itemId, [name]: value } = body;
    if (typeof value !== "number" || !Number.isInteger(value)) return missing(name);
    if (!this.locations.get(Number(locationId)) || !this.inventoryItems.get(Number(itemId))) return notFound;
    const key = `${textOf(locationId)}/${textOf(itemId)}`;
    const available = change(Number(this.#levels.get(key)?.["available"] ?? 0), value);
    const updatedAt = new Date().toISOString().replace(/\.\d+Z$/, "+00:00");
    const level = { inventory_item_id: Number(itemId), location_id: Number(locationId), available, updated_at: updatedAt };
    this.#levels.set(key, level);
    return ok({ inventory_level: { ...level, admin_graphql_api_id: `gid://shopify/InventoryLevel/${key}` } });
  }

  #addVariant(product: Resource, fields: Fields): Resource {
    const inventoryItem = this.inventoryItems.create({});
    const variant = this.variants.create({
      product_id: product.id,
      title: titleOf(fields),
      price: "0.00",
      compare_at_price: null,
      option1: "Default Title",
      option2: null,
      option3: null,
      barcode: null,
      inventory_item_id: inventoryItem.id,
      sku: "",
    });
    this.#byProduct.get(product.id)?.add(variant);
    this.#writeVariant(variant, fields);
    return variant;
  }

  #writeVariant(variant: Resource, { price, compare_at_price: compareAtPrice, ...others }: Fields): void {
    if (this.#bySku.get(textOf(variant["sku"])) === variant) this.#bySku.delete(textOf(variant["sku"]));
    this.variants.update(variant, {
      ...others,
      product_id: variant["product_id"],
      inventory_item_id: variant["inventory_item_id"],
      ...(price === undefined ? {} : { price: moneyOf(price) }),
      ...(compareAtPrice === undefined ? {} : { compare_at_price: compareAtPrice === null ? null : moneyOf(compareAtPrice) }),
    });
    const sku = textOf(variant["sku"]);
    if (sku !== "" && !this.#bySku.has(sku)) this.#bySku.set(sku, variant);
    const [product, item] = [
      this.products.get(Number(variant["product_id"])),
      this.inventoryItems.get(Number(variant["inventory_item_id"])),
    ];
    // A product's time moves with its variants'.
    if (product) this.products.update(product, {});
    if (item) this.inventoryItems.update(item, { sku, tracked: variant["inventory_management"] === "shopify" });
  }

  /** A list of variants in a product's update is the whole list: those not named are gone, as in the real API. */
  #replaceVariants(product: Resource, variants: Fields[]): void {
    const kept = new Set(variants.map((fields) => Number(fields["id"])));
    for (const variant of this.#variantsOf(product)) {
      if (kept.has(variant.id)) continue;
      this.variants.rows.delete(variant.id);
      this.#byProduct.get(product.id)?.delete(variant);
      if (this.#bySku.get(textOf(variant["sku"])) === variant) this.#bySku.delete(textOf(variant["sku"]));
    }
    for (const { id, ...fields } of variants) {
      const known = this.variants.get(Number(id));
      if (known) this.#writeVariant(known, fields);
      else this.#addVariant(product, fields);
    }
  }

  #variantsOf(product: Resource): Resource[] {
    return [...(this.#byProduct.get(product.id) ?? [])];
  }

  /** Accents go, and a handle that is taken gets the first free number behind it. */
  #freeHandle(wanted: string): string {
    const base =
      wanted
        .normalize("NFD")
        .replace(/\p{M}+/gu, "")
        .toLowerCase()
        .replace(/[^\p{L}\p{N}]+/gu, "-")
        .replace(/^-+|-+$/g, "") || "product";
    let handle = base;
    for (let number = 1; this.#byHandle.has(handle); number += 1) handle = `${base}-${number}`;
    return handle;
  }

  #show(product: Resource): Fields {
    const shown = this.#variantsOf(product).slice(0, variantsShownMax);
    const variants = shown.map((variant) => ({ ...variant, inventory_quantity: this.#quantityOf(variant) }));
    return { ...product, admin_graphql_api_id: `gid://shopify/Product/${product.id}`, variants };
  }

  #quantityOf(variant: Resource): number {
    const levels = [...this.#levels.values()].filter((level) => level["inventory_item_id"] === variant["inventory_item_id"]);
    return levels.reduce((sum, { available }) => sum + Number(available), 0);
  }
}

function tagsOf(tags: unknown): string {
  return Array.isArray(tags) ? tags.map((tag) => textOf(tag)).join(", ") : textOf(tags);
}

/** What tells a variant from its sisters, which no two of a product have in common. */
function titleOf({ option1, option2, option3 }: Fields): string {
  const values = [option1, option2, option3].map((value) => textOf(value)).filter((value) => value !== "");
  return values.length === 0 ? "Default Title" : values.join(" / ");
}

/** Where a page begins, and what was asked with the first one: later ones name their place only. Null for a place that nobody was told. */
function placeOf(query: URLSearchParams): { asked: string; start: number } | null {
  const named = query.get("page_info");
  if (named === null) return { asked: query.toString(), start: 0 };
  try {
    const read: unknown = JSON.parse(Buffer.from(named, "base64url").toString());
    return isFields(read) ? { asked: textOf(read["asked"]), start: Number(read["start"]) } : null;
  } catch {
    return null;
  }
}

function isAsked(asked: string[] | undefined, value: unknown): boolean {
  return !asked || asked.includes(textOf(value));
}
