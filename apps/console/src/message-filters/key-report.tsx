import type { Routes } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import { api } from "../api/api.ts";
import { useText } from "../i18n/i18n.tsx";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import OutsideLink from "./outside-link.tsx";
import type { CountedBy, FilterSearch } from "./search.ts";

type KeyReportProps = { tenantCode: string; search: FilterSearch; counted: CountedBy };

/** Of a list of keys: how many have a message that matches, and which have none. */
export default function KeyReport({ tenantCode, search, counted }: KeyReportProps) {
  const t = useText();
  const { data, isError, refetch } = useQuery({
    queryKey: ["tenant", tenantCode, "message-count", "keys", search],
    queryFn: ({ signal }) =>
      api<Routes["countMessages"]>("GET", "/tenants/:tenantCode/message-count", {
        params: { tenantCode },
        query: counted(new Date()),
        signal,
      }),
  });
  const missing = data?.keysNotFound;
  if (isError && !data) {
    return (
      <div role="alert" className="flex flex-wrap items-center gap-3 border-b border-line px-4 py-2 text-sm">
        {t("filter.keysNotCounted")}
        <Button onClick={() => void refetch()}>{t("action.tryAgain")}</Button>
      </div>
    );
  }
  if (missing === undefined) return null;
  const all = search.key?.split("\n").length ?? 0;
  return (
    <div role="status" className="border-b border-line px-4 py-2 text-sm">
      {t("filter.keysFound", { all, found: all - missing.length })}
      {missing.length > 0 && (
        <details className="mt-1">
          <summary className="cursor-pointer">{t("filter.keysNotFound", { count: missing.length })}</summary>
          <div className="my-2 flex flex-wrap items-center gap-2">
            <CopyButton text={missing.join("\n")} />
            <OutsideLink keys={missing.join("\n")} />
          </div>
          <p className="max-h-40 overflow-y-auto break-words">
            <bdi dir="ltr">{missing.join(", ")}</bdi>
          </p>
        </details>
      )}
    </div>
  );
}
