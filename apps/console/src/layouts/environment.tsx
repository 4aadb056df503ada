import type { AnswerOf, Routes } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import { useText } from "../i18n/i18n.tsx";
import { ApiError, readProblem } from "../api/problem.ts";

type Readiness = AnswerOf<Routes["getReadiness"]>;

/** Which installation this is; it doesn't change while the console runs. */
const environmentQuery = {
  queryKey: ["environment"],
  queryFn: async (): Promise<Readiness> => {
    const response = await fetch("/readyz");
    if (!response.ok) throw new ApiError(await readProblem(response));
    return response.json();
  },
  staleTime: Infinity,
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
