import { QueryClient } from "@tanstack/react-query";
import { ApiError } from "./api.ts";

/** Live events say when something changed, so answers count as fresh for a while; what the server refused is not asked again. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      retry: (failures, error) => failures < 2 && !(error instanceof ApiError && error.problem.status >= 400 && error.problem.status < 500),
    },
  },
});
