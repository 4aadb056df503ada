import type { BodyOf, DeadLetter, DeadLetterGroup, Routes, Triage } from "@crossdock/contract";
import { queryOptions, useMutation } from "@tanstack/react-query";
import { addressOf, api } from "../api/api.ts";
import { exportOf } from "../exporting.ts";
import { useText } from "../i18n/i18n.tsx";
import { ApiError } from "../api/problem.ts";
import type { ScanAddress } from "../scans/scan.ts";
import { listQuery, type PageReader } from "../ui/list-query.ts";
import { noticeSuccess } from "../ui/notice.tsx";
import { useRefresh } from "../live/use-refresh.ts";
import { deadLetterFilterOf, filtersOf, type DeadLetterSearch } from "./search.ts";

function deadLetterPages(tenantCode: string, search: DeadLetterSearch): PageReader<DeadLetter> {
  return (cursor, limit, signal) =>
    api<Routes["listDeadLetters"]>("GET", "/tenants/:tenantCode/dead-letters", {
      params: { tenantCode },
      query: { ...deadLetterFilterOf(search, new Date()), ...(cursor && { cursor }), limit },
      signal,
    });
}

export function deadLetterExport(tenantCode: string, search: DeadLetterSearch) {
  return exportOf<Routes["exportDeadLetters"]>("/tenants/:tenantCode/dead-letters/export", {
    params: { tenantCode },
    query: deadLetterFilterOf(search, new Date()),
    hasDocuments: true,
  });
}

export function deadLettersQuery(tenantCode: string, search: DeadLetterSearch) {
  return listQuery(["tenant", tenantCode, "dead-letters", filtersOf(search)], deadLetterPages(tenantCode, search));
}

/** A group as a row of a list, by its fingerprint. */
export type GroupRow = DeadLetterGroup & { id: string };

/** All groups at once; a list all the same, so that news don't move what is under the pointer. */
export function deadLetterGroupsQuery(tenantCode: string, search: DeadLetterSearch) {
  const { view: _view, triage: _triage, ...filters } = filtersOf(search);
  return listQuery<GroupRow>(["tenant", tenantCode, "dead-letter-groups", filters], async (_cursor, _limit, signal) => {
    const { items, isExact } = await api<Routes["listDeadLetterGroups"]>("GET", "/tenants/:tenantCode/dead-letter-groups", {
      params: { tenantCode },
      query: deadLetterFilterOf(search, new Date()),
      signal,
    });
    return { items: items.map((group) => ({ ...group, id: group.fingerprint })), nextCursor: null, isFloor: !isExact };
  });
}

export function deadLetterScan(tenantCode: string, search: DeadLetterSearch): ScanAddress {
  return (place) => {
    const query = { ...deadLetterFilterOf(search, new Date()), ...place };
    return addressOf<Routes["scanDeadLetters"]>("/tenants/:tenantCode/dead-letter-scan", { params: { tenantCode }, query });
  };
}

export function deadLetterGroupScan(tenantCode: string, search: DeadLetterSearch): ScanAddress {
  return ({ cursor }) => {
    const query = { ...deadLetterFilterOf(search, new Date()), ...(cursor && { cursor }) };
    return addressOf<Routes["scanDeadLetterGroups"]>("/tenants/:tenantCode/dead-letter-group-scan", { params: { tenantCode }, query });
  };
}

export function deadLetterQuery(tenantCode: string, messageId: string) {
  return queryOptions({
    queryKey: ["tenant", tenantCode, "dead-letter", messageId],
    queryFn: ({ signal }) =>
      api<Routes["getDeadLetter"]>("GET", "/tenants/:tenantCode/dead-letters/:messageId", { params: { tenantCode, messageId }, signal }),
  });
}

export function useTriage(tenantCode: string) {
  const t = useText();
  const refresh = useRefresh(tenantCode);
  return useMutation({
    mutationFn: (body: BodyOf<Routes["triageDeadLetterGroup"]>) =>
      api<Routes["triageDeadLetterGroup"]>("PUT", "/tenants/:tenantCode/dead-letter-groups/triage", { params: { tenantCode }, body }),
    onSuccess: () => {
      noticeSuccess(t("notice.saved"));
      return refresh();
    },
  });
}

/** What a colleague wrote meanwhile, where that is why a change was refused. */
export function conflictOf(error: Error | null): Triage | null {
  if (!(error instanceof ApiError) || error.problem.code !== "changed-meanwhile") return null;
  return isTriage(error.problem.current) ? error.problem.current : null;
}

function isTriage(current: object | undefined): current is Triage {
  return current !== undefined && "status" in current && "version" in current;
}
