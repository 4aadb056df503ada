import type { ParamsOf, QueryOf, RouteDefinition } from "@crossdock/contract";
import { addressOf, authorisedFetch } from "./api/api.ts";
import type { ExportSource } from "./ui/export/use-export.ts";

type Filter<Route extends RouteDefinition> = { params?: ParamsOf<Route>; query: QueryOf<Route>; hasDocuments?: boolean };

/** The export of a list with its filter: `exportOf<Routes["exportMessages"]>("/tenants/:tenantCode/messages/export", { … })`. */
export function exportOf<Route extends RouteDefinition>(
  path: string,
  { params, query, hasDocuments = false }: Filter<Route>,
): ExportSource {
  return {
    hasDocuments,
    open: (form, signal) => {
      const address = addressOf<RouteDefinition>(path, { params, query: { ...(query as object), ...form } });
      return authorisedFetch(address, { signal });
    },
  };
}
