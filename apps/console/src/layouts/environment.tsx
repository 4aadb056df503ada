import type { AnswerOf, Routes } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import { TriangleAlert } from "lucide-react";
import { useText } from "../i18n/i18n.tsx";
import { ask } from "../api/api.ts";
import { ApiError } from "../api/problem.ts";

type Readiness = AnswerOf<Routes["getReadiness"]>;

/** Which installation this is, which doesn't change while the console runs, and whether it can work. */
const environmentQuery = {
  queryKey: ["environment"],
  queryFn: ({ signal }: { signal: AbortSignal }) => ask<Readiness>("/readyz", { signal }),
  staleTime: Infinity,
  retry: false,
  refetchInterval: ({ state }: { state: { status: string } }) => (state.status === "error" ? 5_000 : 30_000),
};

export function useInstallation(): Readiness | undefined {
  return useQuery(environmentQuery).data;
}

const environmentNames: Record<string, string> = { Development: "localhost", Production: "prod" };

export function Environment({ className = "truncate rounded-full px-3 py-1 text-xs" }: { className?: string }) {
  const t = useText();
  const installation = useInstallation();
  if (!installation) return null;
  return (
    <span dir="auto" title={t("header.environment")} className={`border border-line font-medium text-muted ${className}`}>
      {environmentNames[installation.environment] ?? installation.environment}
    </span>
  );
}

/** Why nothing can be changed or delivered, while the server says so. */
export function Standstill() {
  const { error } = useQuery(environmentQuery);
  if (!(error instanceof ApiError) || error.problem.reason === undefined) return null;
  return (
    <p role="alert" className="flex min-h-11 items-center gap-3 border-b border-line bg-paper px-3 py-1 text-ink sm:px-5">
      <TriangleAlert aria-hidden className="size-4.5 shrink-0 text-bad" />
      {error.message}
    </p>
  );
}
