import { useText } from "../i18n/i18n.tsx";
import { ErrorState } from "./states.tsx";
import { ApiError } from "../api/problem.ts";

const refusals: readonly string[] = ["validation-failed", "nul-character"];

/** Why a list can't be read. A filter that the server refuses, as one from an address may be, would be refused again. */
export function ListError({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const t = useText();
  if (error instanceof ApiError && refusals.includes(error.problem.code))
    return <ErrorState title={t("filter.refused")} detail={error.message} />;
  return <ErrorState detail={error.message} onRetry={onRetry} />;
}
