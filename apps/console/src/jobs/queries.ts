import type { BodyOf, Job, JobItem, JobOutcome, MessageState, Routes } from "@crossdock/contract";
import { infiniteQueryOptions, queryOptions, type InfiniteData, type QueryKey } from "@tanstack/react-query";
import { api, toldFaults } from "../api/api.ts";
import { listQuery, type ListPage, type PageReader } from "../ui/list-query.ts";
import type { Selection } from "../ui/selection.ts";

export type JobSelection = NonNullable<BodyOf<Routes["createJob"]>>["selection"];
type JobFilter = Extract<JobSelection, { filter: unknown }>["filter"] & { state?: MessageState[] };
export type JobRequest = NonNullable<BodyOf<Routes["createJob"]>>;
export type ExternalJobRequest = NonNullable<BodyOf<Routes["createExternalJob"]>>;

/** Up to so many named rows are changed at once; above, and for everything that matches, a job does it or the tenant's code is typed. */
export const directMax = 100;

export function needsJob({ kind, ids }: Selection): boolean {
  return kind === "all-but" || ids.size > directMax;
}

/** What is chosen in a list with this filter, as a job takes it. */
export function jobSelectionOf({ kind, ids }: Selection, filter: JobFilter): JobSelection {
  if (kind === "some") return { ids: [...ids], ...(filter.state && { state: filter.state }) };
  return ids.size === 0 ? { filter } : { filter, except: [...ids] };
}

/** What is chosen in a list of external messages or items. */
export function externalSelectionOf<Filter>({ kind, ids }: Selection, filter: Filter) {
  return kind === "some" ? { ids: [...ids] } : { filter, ...(ids.size > 0 && { except: [...ids] }) };
}

/** As many as the popover shows. */
const newestLimit = 20;

export function jobsQuery(tenantCode: string) {
  return queryOptions({
    queryKey: ["tenant", tenantCode, "jobs"],
    queryFn: ({ signal }) =>
      api<Routes["listJobs"]>("GET", "/tenants/:tenantCode/jobs", { params: { tenantCode }, query: { limit: newestLimit }, signal }),
    select: ({ items }) => items,
  });
}

/** Between two looks at a running job whose events may be late. */
const lookEveryMs = 1000;

export function jobQuery(tenantCode: string, jobId: number) {
  return queryOptions({
    queryKey: ["tenant", tenantCode, "job", jobId],
    queryFn: ({ signal }) => api<Routes["getJob"]>("GET", "/tenants/:tenantCode/jobs/:jobId", { params: { tenantCode, jobId }, signal }),
    refetchInterval: ({ state }) => (state.data?.state === "running" ? lookEveryMs : false),
  });
}

/** What its messages are by now: it is asked for again as the queues and the job move on. */
export function jobStatesQuery(tenantCode: string, jobId: number) {
  return queryOptions({
    queryKey: ["tenant", tenantCode, "job", jobId, "states"],
    queryFn: ({ signal }) =>
      api<Routes["getJobStates"]>("GET", "/tenants/:tenantCode/jobs/:jobId/states", { params: { tenantCode, jobId }, signal }),
  });
}

/** The items, each with what is wrong with it in the reader's language. */
function toldItems(items: JobItem[]): Promise<JobItem[]> {
  return Promise.all(items.map(async (item) => ({ ...item, faults: await toldFaults(item.faults) })));
}

/** The items that did not go as wished, for a look beside the progress. */
export function unusualItemsQuery(tenantCode: string, { id, skipped, failed }: Job) {
  const outcome: JobOutcome = failed > 0 ? "failed" : "skipped";
  return queryOptions({
    queryKey: ["tenant", tenantCode, "job", id, "unusual", outcome],
    queryFn: async ({ signal }) => {
      const { items } = await api<Routes["listJobItems"]>("GET", "/tenants/:tenantCode/jobs/:jobId/items", {
        params: { tenantCode, jobId: id },
        query: { outcome },
        signal,
      });
      return toldItems(items);
    },
    enabled: skipped + failed > 0,
  });
}

/** An item as a row of a list. */
export type JobItemRow = JobItem & { id: string };

/** Empty for all. */
export type ItemFilter = { outcome: JobOutcome | ""; state: MessageState | "" };

function jobItemPages(tenantCode: string, jobId: number, { outcome, state }: ItemFilter): PageReader<JobItemRow> {
  return async (cursor, limit, signal) => {
    const page = await api<Routes["listJobItems"]>("GET", "/tenants/:tenantCode/jobs/:jobId/items", {
      params: { tenantCode, jobId },
      query: { ...(outcome && { outcome }), ...(state && { state }), ...(cursor && { cursor }), limit },
      signal,
    });
    const items = await toldItems(page.items);
    return { items: items.map((item) => ({ ...item, id: item.messageId })), nextCursor: page.nextCursor };
  };
}

export function jobItemsQuery(tenantCode: string, jobId: number, filter: ItemFilter) {
  return listQuery(["tenant", tenantCode, "job", jobId, "items", filter], jobItemPages(tenantCode, jobId, filter));
}

/** What a counted job would do to its messages, read page by page. */
export function dryRunPages<Item>(queryKey: QueryKey, readPage: (cursor: string, signal: AbortSignal) => Promise<ListPage<Item>>) {
  return infiniteQueryOptions<ListPage<Item>, Error, InfiniteData<ListPage<Item>>, QueryKey, string>({
    queryKey,
    queryFn: ({ pageParam, signal }) => readPage(pageParam, signal),
    initialPageParam: "",
    getNextPageParam: ({ nextCursor }) => nextCursor,
    staleTime: Infinity,
  });
}

export function createJob(tenantCode: string, body: JobRequest | ExternalJobRequest): Promise<Job> {
  if ("subject" in body)
    return api<Routes["createExternalJob"]>("POST", "/tenants/:tenantCode/external-jobs", { params: { tenantCode }, body });
  return api<Routes["createJob"]>("POST", "/tenants/:tenantCode/jobs", { params: { tenantCode }, body });
}

export type Confirmed = NonNullable<BodyOf<Routes["startJob"]>>;

export function startJob(tenantCode: string, jobId: number, body: Confirmed): Promise<Job> {
  return api<Routes["startJob"]>("POST", "/tenants/:tenantCode/jobs/:jobId/start", { params: { tenantCode, jobId }, body });
}

export type JobVerb = "pause" | "resume" | "cancel" | "undo";

export function changeJob(tenantCode: string, jobId: number, verb: JobVerb): Promise<Job> {
  return api<Routes["pauseJob"]>("POST", `/tenants/:tenantCode/jobs/:jobId/${verb}`, { params: { tenantCode, jobId } });
}
