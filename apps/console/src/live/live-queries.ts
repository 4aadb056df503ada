import type { LiveEvent } from "@crossdock/contract";
import type { Query, QueryClient, QueryKey } from "@tanstack/react-query";

/** What is heard of a tenant; `ended`: the stream is over, perhaps since the right to it is. */
export type News = LiveEvent["type"] | "ended";

type Meaning = {
  /** The tenant's queries that it says nothing of, by the beginning of what follows the tenant in their keys. All others are refreshed, as is the list of tenants. */
  spares: readonly (readonly string[])[];
  /** What may have changed right after it without being told: these are told once for all that changes within a second. */
  after: readonly News[];
};

const views = [["saved-views"]];
const notes = [["notes"]];
const jobs = [["jobs"]];
const alertNews = ["alerts", "installation-alerts"].flatMap((alerts) => ["count", "notifications"].map((part) => [alerts, part]));
/** What only people change, and the subtenants, whose screen looks at their traffic at its own pace. */
const setUp = [["api-keys"], ["limits"], ["masking-rules"], ["operators"], ["admins"], ["subtenants"]];

const meanings: Record<News, Meaning> = {
  "queues-changed": { spares: [...views, ...notes, ...jobs, ...alertNews, ...setUp], after: ["queues-changed"] },
  "external-changed": { spares: [...views, ...notes, ...jobs, ...alertNews, ...setUp], after: ["external-changed"] },
  "jobs-changed": { spares: [...views, ...notes, ...alertNews, ...setUp], after: [] },
  "alerts-changed": { spares: [...views, ...notes, ...jobs, ...setUp], after: [] },
  "notes-changed": { spares: [...views, ...jobs, ...alertNews, ...setUp], after: [] },
  "configuration-changed": { spares: [...views, ...notes], after: [] },
  "access-changed": { spares: [], after: [] },
  resync: { spares: [], after: ["queues-changed", "external-changed"] },
  ended: { spares: [[]], after: [] },
};

/** A server newer than this console may tell what is unknown here. */
export function newsOf(type: string): News {
  return isNews(type) ? type : "resync";
}

function isNews(type: string): type is News {
  return Object.hasOwn(meanings, type);
}

export const after = (news: News): readonly News[] => meanings[news].after;

function tellsOf(news: News, tenantCode: string, [of, code, ...parts]: QueryKey): boolean {
  if (of !== "tenant") return of === "tenants";
  return code === tenantCode && !meanings[news].spares.some((spared) => spared.every((part, index) => parts[index] === part));
}

/** Resolves when what the news tell of has been asked for again and answered. */
export function refreshQueries(client: QueryClient, tenantCode: string, heard: ReadonlySet<News>): Promise<unknown> {
  const meant = client
    .getQueryCache()
    .findAll({ predicate: ({ queryKey }) => [...heard].some((news) => tellsOf(news, tenantCode, queryKey)) });
  return Promise.all(meant.map((query) => refresh(client, query)));
}

/**
 * Queries whose answers would rearrange what the operator looks at carry `meta.isHeld`: they are only marked as stale, and their screen decides when to
 * fetch again. All others are fetched at once. An answer that is on its way is waited for and kept, but may be older than the news; where none comes, the
 * failure stays on the screen.
 */
async function refresh(client: QueryClient, query: Query): Promise<void> {
  let hasFailed = false;
  if (query.state.fetchStatus === "fetching")
    await query.promise?.catch(() => {
      hasFailed = true;
    });
  const refetchType = hasFailed || query.meta?.["isHeld"] === true ? "none" : "active";
  await client.invalidateQueries({ queryKey: query.queryKey, exact: true, refetchType }, { cancelRefetch: false });
}
