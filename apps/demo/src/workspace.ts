import type { BodyOf, ConnectorCode, EntityType, IntegrationPoint, Role, Routes } from "@crossdock/contract";
import { themes, type Theme } from "./catalogue.ts";
import { RequestError, type Client } from "./client.ts";
import { erpTranslation } from "./documents.ts";

/** An integration point of the demo. `system` is the system of the sandbox that plays its target. */
type PointPlan = {
  connector: ConnectorCode;
  code: string;
  name: string;
  sourceTypes?: EntityType[];
  targetTypes?: EntityType[];
  system?: string;
  deliveryMode?: "push" | "pull";
  settings?: Record<string, unknown>;
  ratePerSecond?: number;
};

type SubtenantPlan = { code: string; name: string; currency: string; country: string; points: PointPlan[] };

type TenantPlan = {
  code: string;
  name: string;
  theme: Theme;
  articles: number;
  subtenants: SubtenantPlan[];
  mappings: BodyOf<Routes["createMapping"]>[];
};

/** How the demo's targets answer a passing failure: quickly enough to be watched. */
const retry = { maxAttempts: 10, baseDelayMs: 3_000, maxDelayMs: 60_000 };

const goods: EntityType[] = ["item", "price", "stock"];
/** The ERP's "books" rate is not mapped, so its articles stop as dead letters until somebody adds it. */
const taxCodes = (target: "sitoo" | "bigcommerce" | "magento"): TenantPlan["mappings"] => [
  { fieldName: "taxCode", source: "litium", sourceValue: "standard", target, targetValue: "SE-25" },
  { fieldName: "taxCode", source: "litium", sourceValue: "reduced", target, targetValue: "SE-12" },
];
const erp = (name: string): PointPlan => ({
  connector: "litium",
  code: "erp",
  name,
  sourceTypes: [...goods, "shipment", "customer"],
  targetTypes: ["order"],
  system: "erp",
  settings: { receive: { item: { expression: erpTranslation } } },
});

const tenantPlans: TenantPlan[] = [
  {
    code: "nordhem",
    name: "Nordhem Living",
    theme: themes.home,
    articles: 1200,
    subtenants: [
      {
        code: "nordhem-se",
        name: "Nordhem Sverige",
        currency: "SEK",
        country: "SE",
        points: [
          erp("Litium ERP"),
          {
            connector: "shopify",
            code: "webshop",
            name: "Shopify Plus",
            sourceTypes: ["order"],
            targetTypes: goods,
            system: "nordhem-se",
            // A delivery takes up to three requests, and the shop allows 100 a second.
            ratePerSecond: 25,
          },
          {
            connector: "sitoo",
            code: "stores",
            name: "Sitoo, 14 stores",
            // Orders are picked up in the stores.
            targetTypes: ["item", "order"],
            system: "sitoo",
          },
        ],
      },
      {
        code: "nordhem-b2b",
        name: "Nordhem Contract",
        currency: "SEK",
        country: "SE",
        points: [
          erp("Litium ERP, contract sales"),
          {
            connector: "bigcommerce",
            code: "portal",
            name: "Dealer portal",
            sourceTypes: ["order"],
            targetTypes: goods,
            system: "bigcommerce",
          },
        ],
      },
    ],
    mappings: [...taxCodes("sitoo"), ...taxCodes("bigcommerce")],
  },
  {
    code: "fjellsport",
    name: "Fjellsport",
    theme: themes.sport,
    articles: 900,
    subtenants: [
      {
        code: "fjellsport-no",
        name: "Fjellsport Norge",
        currency: "NOK",
        country: "NO",
        points: [
          erp("Litium ERP"),
          {
            connector: "centra",
            code: "webshop",
            name: "Centra",
            sourceTypes: ["order"],
            targetTypes: [...goods, "shipment"],
            system: "centra",
          },
          {
            connector: "nuorder",
            code: "wholesale",
            name: "nuORDER",
            targetTypes: ["item", "customer"],
            system: "nuorder",
          },
        ],
      },
      {
        code: "fjellsport-se",
        name: "Fjellsport Sverige",
        currency: "SEK",
        country: "SE",
        points: [
          erp("Litium ERP, Sverige"),
          {
            connector: "magento",
            code: "webshop",
            name: "Adobe Commerce",
            sourceTypes: ["order"],
            targetTypes: goods,
            system: "magento",
          },
          // An outside worker fetches these; the demo plays it, too slowly to keep up at times.
          {
            connector: "queryservice",
            code: "warehouse",
            name: "Query service of the warehouse",
            targetTypes: ["stock"],
            deliveryMode: "pull",
          },
        ],
      },
    ],
    mappings: taxCodes("magento"),
  },
  {
    code: "maison-lumiere",
    name: "Maison Lumière",
    theme: themes.fashion,
    articles: 600,
    subtenants: [
      {
        code: "lumiere-fr",
        name: "Lumière France",
        currency: "EUR",
        country: "FR",
        points: [
          erp("Litium ERP"),
          {
            connector: "brink",
            code: "webshop",
            name: "Brink",
            sourceTypes: ["order"],
            targetTypes: goods,
            system: "brink",
          },
          {
            connector: "colect",
            code: "showroom",
            name: "Colect showroom",
            targetTypes: ["item", "stock"],
            system: "colect",
          },
        ],
      },
    ],
    mappings: [],
  },
];

/** What the specified banner says. */
const announcement: BodyOf<Routes["createAnnouncement"]> = {
  text: "Get flat 60% off on your first purchase",
  translations: {
    zh: "首次购买立享四折优惠",
    ar: "احصل على خصم 60% على أول عملية شراء",
    it: "Subito il 60% di sconto sul tuo primo acquisto",
    es: "Obtenga un 60 % de descuento en su primera compra",
    fr: "Profitez de 60 % de réduction sur votre premier achat",
  },
};

/** A subtenant that is set up, with the key under which its source systems hand in, and the ids of its hooks by integration point. */
export type Workplace = { tenant: TenantPlan; subtenant: SubtenantPlan; key: string; hookIds: ReadonlyMap<string, string | null> };

/** Makes what is missing of the demo workspace and leaves alone what is there, also what somebody changed since. */
export async function ensureWorkspace(client: Client, sandboxUrl: string): Promise<Workplace[]> {
  const { items: tenants } = await client.call("listTenants");
  // Of an installation that has tenants somebody may have ended it.
  if (tenants.length === 0) await client.call("createAnnouncement", { body: announcement });
  const workplaces: Workplace[] = [];
  for (const tenant of tenantPlans) {
    const params = { tenantCode: tenant.code };
    if (!tenants.some(({ code }) => code === tenant.code)) {
      await client.call("createTenant", { body: { code: tenant.code, name: tenant.name } });
      for (const mapping of tenant.mappings) await client.call("createMapping", { params, body: mapping });
    }
    const key = await freshKey(client, tenant.code, { name: "Demo source systems", role: "gateway" });
    for (const subtenant of tenant.subtenants) {
      await ignoreExisting(client.call("createSubtenant", { params, body: { code: subtenant.code, name: subtenant.name } }));
      await ensurePoints(client, tenant.code, subtenant, sandboxUrl);
      const { items } = await client.call("listIntegrationPoints", { params, query: { subtenant: subtenant.code } });
      workplaces.push({ tenant, subtenant, key, hookIds: new Map(items.map(({ code, hookId }) => [code, hookId])) });
    }
  }
  return workplaces;
}

async function ensurePoints(client: Client, tenantCode: string, subtenant: SubtenantPlan, sandboxUrl: string): Promise<void> {
  const params = { tenantCode };
  const { items } = await client.call("listIntegrationPoints", { params, query: { subtenant: subtenant.code } });
  for (const point of subtenant.points) {
    const made = items.find(({ code, connector }) => code === codeOf(subtenant, point) && connector === point.connector);
    if (made) {
      await followSandbox(client, tenantCode, made, connection(point, subtenant, sandboxUrl));
      continue;
    }
    const { connector, name, sourceTypes, targetTypes, deliveryMode = "push", ratePerSecond = null } = point;
    const body = {
      subtenantCode: subtenant.code,
      connector,
      code: codeOf(subtenant, point),
      name,
      sourceTypes,
      targetTypes,
      deliveryMode,
      retry,
      ratePerSecond,
    };
    await client.call("createIntegrationPoint", { params, body: { ...body, ...connection(point, subtenant, sandboxUrl) } });
  }
}

/** The sandbox may listen on another port than when the point was made. An address that somebody gave it since is left alone. */
async function followSandbox(
  client: Client,
  tenantCode: string,
  made: IntegrationPoint,
  { settings, credentials }: Connection,
): Promise<void> {
  const name = "shopUrl" in settings ? "shopUrl" : "url";
  const [was, is] = [made.settings[name], settings[name]].map(String);
  if (was === is || withoutPort(was) !== withoutPort(is)) return;
  await client.call("updateIntegrationPoint", {
    params: { tenantCode, integrationPointId: made.id },
    body: { settings: { ...made.settings, [name]: is }, credentials, isAnotherSystem: false },
  });
}

function withoutPort(address: string | undefined): string | undefined {
  return address?.replace(/:\d+\//, "/");
}

/** Codes are unique in a tenant, not in a subtenant only. */
export function codeOf(subtenant: Pick<SubtenantPlan, "code">, point: Pick<PointPlan, "code">): string {
  return `${subtenant.code}-${point.code}`;
}

/** With which the demo's Shopify shop signs its webhooks. It protects nothing but made-up orders. */
export const shopifySecret = "shpss_demo";

type Connection = { settings: Record<string, unknown>; credentials: Record<string, string> };

/** Settings and credentials with which the server reaches the sandbox in place of the real system. */
function connection({ connector, system, settings }: PointPlan, { currency, country }: SubtenantPlan, sandboxUrl: string): Connection {
  if (system === undefined) return { settings: { ...settings }, credentials: {} };
  if (connector === "shopify") {
    const locationIds = { [`${country.toLowerCase()}-central`]: sandboxLocation };
    return {
      settings: { shopUrl: `${sandboxUrl}/shopify/${system}`, currency, locationIds },
      credentials: { accessToken: "shpat_demo", webhookSecret: shopifySecret },
    };
  }
  return { settings: { ...settings, url: `${sandboxUrl}/generic/${system}`, auth: "bearer" }, credentials: { token: "demo" } };
}

/** The one location that each shop of the sandbox has. */
const sandboxLocation = "655441491";

/** A key is shown once, so each start makes a new one and revokes that of the run before. */
export async function freshKey(client: Client, tenantCode: string, { name, role }: { name: string; role: Role }): Promise<string> {
  const params = { tenantCode };
  const { items } = await client.call("listApiKeys", { params });
  for (const old of items) {
    if (old.name === name && old.revokedAt === null) await client.call("revokeApiKey", { params: { ...params, apiKeyId: old.id } });
  }
  const { key } = await client.call("createApiKey", { params, body: { name, role } });
  return key;
}

async function ignoreExisting(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof RequestError) || error.code !== "already-exists") throw error;
  }
}
