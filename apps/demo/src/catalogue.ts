import { createRandom, type Random } from "./random.ts";

/** One article of a demo tenant. */
export type Article = {
  sku: string;
  name: string;
  brand: string;
  category: string;
  /** As the source writes it; what it means elsewhere is a mapping's business. */
  taxCode: string;
  barcode: string;
  /** In the smallest unit of the currency. */
  priceMinor: number;
  stock: number;
};

type List = readonly [string, ...string[]];
/** The words of a trade: `{brand} {series} {thing}, {material}, {variant}`. */
export type Theme = {
  prefix: string;
  brands: List;
  series: List;
  materials: List;
  variants: List;
  /** Category: its things and the price range in whole units. */
  categories: Record<string, { things: List; from: number; to: number }>;
};

export const themes = {
  home: {
    prefix: "NH",
    brands: ["Nordhem", "Ljusverk", "Skog & Sten", "Havsro", "Linvik"],
    series: [
      "Alva",
      "Björk",
      "Dagny",
      "Ekeby",
      "Fjärden",
      "Gry",
      "Holma",
      "Iris",
      "Juni",
      "Kvist",
      "Lovö",
      "Majken",
      "Norrsken",
      "Olle",
      "Vinga",
    ],
    materials: ["oak", "ash", "birch", "linen", "wool", "stoneware", "brass", "recycled glass", "cotton", "walnut"],
    variants: ["natural", "white", "black", "sage green", "dusty blue", "terracotta", "sand", "charcoal"],
    categories: {
      Lighting: { things: ["table lamp", "floor lamp", "pendant lamp", "wall lamp", "candle holder"], from: 199, to: 2999 },
      Textiles: { things: ["cushion cover", "throw", "curtain", "rug 170×240 cm", "bed set", "tea towel 2-pack"], from: 79, to: 2499 },
      Kitchen: { things: ["mug", "dinner plate", "serving bowl", "chopping board", "carafe", "espresso cup 4-pack"], from: 49, to: 899 },
      Furniture: { things: ["stool", "side table", "shelf", "dining chair", "bench", "coat rack"], from: 399, to: 5999 },
    },
  },
  sport: {
    prefix: "FS",
    brands: ["Fjellsport", "Tindvær", "Høgland", "Isbre", "Stifinner"],
    series: ["Besseggen", "Dovre", "Falketind", "Galdhø", "Hardanger", "Jotun", "Kjerag", "Lofoten", "Rondane", "Senja", "Trolltind"],
    materials: ["merino wool", "3-layer shell", "down 700", "ripstop nylon", "recycled fleece", "softshell", "carbon", "aluminium"],
    variants: ["S", "M", "L", "XL", "XXL", "36", "38", "40", "42", "44"],
    categories: {
      Jackets: { things: ["jacket", "anorak", "vest", "rain jacket"], from: 799, to: 6499 },
      Trousers: { things: ["trousers", "shorts", "tights", "over-trousers"], from: 499, to: 3999 },
      "Base layers": { things: ["base layer top", "base layer bottom", "socks 3-pack", "neck gaiter"], from: 129, to: 1199 },
      Equipment: {
        things: ["backpack 35 l", "tent for 2", "sleeping bag", "trekking poles", "head torch", "cooking set"],
        from: 249,
        to: 7999,
      },
    },
  },
  fashion: {
    prefix: "ML",
    brands: ["Maison Lumière", "Atelier Cinq", "Rive Droite", "Côte Sud"],
    series: ["Amélie", "Bastille", "Céleste", "Diane", "Élise", "Fleur", "Giverny", "Honorine", "Isaure", "Joséphine", "Margaux"],
    materials: ["silk", "cotton poplin", "linen", "merino", "cashmere", "leather", "organic denim", "viscose"],
    variants: ["34 écru", "36 écru", "38 écru", "40 écru", "34 noir", "36 noir", "38 noir", "40 noir", "36 marine", "38 marine"],
    categories: {
      Dresses: { things: ["wrap dress", "midi dress", "shirt dress", "evening dress"], from: 89, to: 690 },
      Tops: { things: ["blouse", "cardigan", "T-shirt", "roll-neck jumper"], from: 35, to: 320 },
      Accessories: { things: ["scarf", "belt", "handbag", "beret", "gloves"], from: 29, to: 890 },
      Shoes: { things: ["ballerinas", "ankle boots", "loafers", "sandals"], from: 79, to: 540 },
    },
  },
} satisfies Record<string, Theme>;

/** `count` articles, always the same ones for the same theme and seed. */
export function makeCatalogue(theme: Theme, count: number, seed: number): Article[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, (_, index) => makeArticle(theme, random, 10_000 + index));
}

function makeArticle(theme: Theme, random: Random, number: number): Article {
  const names = Object.keys(theme.categories);
  const category = names[random.between(0, names.length - 1)] ?? "";
  const { things, from, to } = theme.categories[category] ?? { things: ["article"] as const, from: 10, to: 100 };
  const brand = random.pick(theme.brands);
  // Cheap things are commoner than dear ones; prices end in 9 or 90 as shops like them.
  const price = Math.max(from, Math.round((from + (to - from) * random.next() ** 2.2) / 10) * 10 - 1);
  return {
    sku: `${theme.prefix}-${number}`,
    name: `${random.pick(theme.series)} ${random.pick(things)}, ${random.pick(theme.materials)}, ${random.pick(theme.variants)}`,
    brand,
    category,
    // Reduced rates are rare, and one of them nobody has mapped yet.
    taxCode: random.chance(0.97) ? "standard" : random.chance(0.6) ? "reduced" : "books",
    barcode: barcode(random),
    priceMinor: price * 100,
    stock: random.chance(0.06) ? 0 : random.between(1, 180),
  };
}

/** A well-formed GTIN-13 of the range 2xx, which is free for internal use, so that no real article bears it. */
function barcode(random: Random): string {
  const digits = `2${String(random.between(0, 99_999_999_999)).padStart(11, "0")}`;
  let sum = 0;
  for (const [index, digit] of digits.split("").entries()) sum += Number(digit) * (index % 2 === 0 ? 1 : 3);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}
