import type { FoundThings, Message, Routes } from "@crossdock/contract";
import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { FileInput, Inbox, KeyRound, Network, Plug, Route, TextSearch } from "lucide-react";
import { api } from "../../api/api.ts";
import { entityTypeText } from "../../entity-types.ts";
import { useText } from "../../i18n/i18n.tsx";
import { isLongEnough } from "../../message-filters/search.ts";
import { activeTenantCode } from "../../settings.ts";
import { useSettled } from "../../ui/use-settled.ts";
import { queuesQuery, tenantsQuery } from "../../session/workspace.ts";
import type { Choice } from "./choice.ts";

/** Pause after the last key stroke before the server is asked. */
const typingPauseMs = 150;
/** Fewer characters begin too many keys to be of use. */
const lengthMin = 2;

function searchQuery(tenantCode: string, text: string) {
  return queryOptions({
    queryKey: ["tenant", tenantCode, "search", text],
    queryFn: ({ signal }) =>
      api<Routes["searchTenant"]>("GET", "/tenants/:tenantCode/search", { params: { tenantCode }, query: { q: text }, signal }),
    // Whoever types is not helped by answers that come late.
    retry: false,
    meta: { isHeld: true },
  });
}

export type Found = { choices: Choice[]; isSearching: boolean; error: Error | null; retry: () => void };

/** What the active tenant has under the text, and the way on to its messages and to what came in. What was found for the text before stays until the answer is there. */
export function useFoundChoices(text: string): Found {
  const tenantCode = activeTenantCode.use();
  const wanted = text.length >= lengthMin ? text : "";
  const asked = useSettled(wanted, typingPauseMs);
  const toChoices = useToChoices(tenantCode, asked);
  const { data, error, isFetching, refetch } = useQuery({
    ...searchQuery(tenantCode ?? "", asked),
    enabled: tenantCode !== null && asked !== "",
    placeholderData: keepPreviousData,
  });
  const further = useSearchChoices(tenantCode, text);
  const isAsked = tenantCode !== null && wanted !== "";
  return {
    choices: [...(isAsked && data ? toChoices(data) : []), ...further],
    isSearching: isAsked && (isFetching || asked !== wanted),
    error: isAsked && asked === wanted ? error : null,
    retry: () => void refetch(),
  };
}

/**
 * The palette finds beginnings of keys; words anywhere are the lists' search. What was rejected became no message and has no key. Without an
 * active tenant nothing is looked for here, but there is the way to the messages of each.
 */
function useSearchChoices(activeCode: string | null, text: string): Choice[] {
  const t = useText();
  const { data: tenants = [] } = useQuery(tenantsQuery);
  if (!isLongEnough(text)) return [];
  const listed = (tenantCode: string, list: string, title: string, hint = ""): Choice => ({
    id: `search ${tenantCode} ${list} ${text}`,
    section: "filter.search",
    icon: TextSearch,
    title,
    hint,
    action: { href: `${list}?${new URLSearchParams({ search: text })}`, tenantCode },
  });
  const title = t("palette.searchFor", { text });
  if (activeCode === null) return tenants.map(({ code, name }) => listed(code, "/queue", name || code, title));
  return [listed(activeCode, "/queue", title), listed(activeCode, "/externalmessages", t("palette.searchExternal", { text }))];
}

function useToChoices(tenantCode: string | null, text: string): (found: FoundThings) => Choice[] {
  const t = useText();
  const { data: queues = [] } = useQuery({ ...queuesQuery(tenantCode ?? ""), enabled: tenantCode !== null });
  const { data: tenants = [] } = useQuery(tenantsQuery);
  const tenantName = tenants.find(({ code }) => code === tenantCode)?.name;
  /** From the tenant on: the same code or queue may be in several. */
  const way = (...places: (string | null)[]): string => [tenantName, ...places].filter(Boolean).join(" › ");
  const visit = (href: string) => ({ href, tenantCode });
  const details = (messageId: string) => visit(`/queue/details/${messageId}`);
  const list = (filter: Record<string, string>) => visit(`/queue?${new URLSearchParams(filter)}`);

  const ofMessage = ({ id, key, queueName, subtenantCode, state }: Message): Choice => ({
    id: `message ${id}`,
    section: "messages.title",
    icon: Inbox,
    title: key,
    state,
    hint: way(subtenantCode, queueName, id),
    action: details(id),
  });
  // One for each object: an order and a shipment may have the same number. Who typed a key asks what became of that object; who typed the id of
  // a message means that one.
  const waysOf = (messages: readonly Message[]): Choice[] =>
    [...new Map(messages.map((message) => [`${message.subtenantCode} ${message.entityType} ${message.key}`, message])).values()].map(
      ({ id, key, entityType, subtenantCode }) => ({
        id: `way ${id}`,
        section: messages.some((message) => message.id === text) ? "palette.keys" : "trace.title",
        icon: Route,
        title: t("trace.open", { key }),
        hint: `${entityTypeText(t, entityType)} · ${way(subtenantCode)}`,
        action: visit(`/queue/details/${id}?view=trace`),
      }),
    );
  const ofExternalMessage = ({ id, source, key, messageId }: NonNullable<FoundThings["externalMessage"]>): Choice => ({
    id: `external ${id}`,
    section: "messages.title",
    icon: FileInput,
    title: t("palette.externalMessage", { id }),
    hint: [source, key, messageId === null && t("palette.noMessages")].filter(Boolean).join(" · "),
    action: visit(`/externalmessages/details/${id}`),
  });
  const ofKey = (key: string): Choice => ({
    id: `key ${key}`,
    section: "palette.keys",
    icon: KeyRound,
    title: key,
    hint: t("palette.ofKey"),
    action: list({ key }),
  });
  const ofSubtenant = ({ code, name }: FoundThings["subtenants"][number]): Choice => ({
    id: `subtenant ${code}`,
    section: "menu.subtenants",
    icon: Network,
    title: name,
    hint: way(code),
    action: list({ subtenant: code }),
  });
  // What goes to a point is in its queues; of one that only gives, the messages are known by their source.
  const ofPoint = ({ id, name, code, connector, subtenantCode }: FoundThings["integrationPoints"][number]): Choice[] => {
    const point = { section: "subtenants.integrationPoints", icon: Plug, title: name, words: `${code} ${connector}` } as const;
    const own = queues.filter(({ integrationPoint }) => integrationPoint.id === id);
    if (own.length === 0)
      return [
        { ...point, id: `point ${id}`, hint: way(subtenantCode, code), action: list({ subtenant: subtenantCode, source: connector }) },
      ];
    return own.map((queue) => ({
      ...point,
      id: `queue ${queue.id}`,
      hint: way(subtenantCode, queue.name),
      action: list({ queue: String(queue.id) }),
    }));
  };
  return ({ messages, externalMessage, keys, subtenants, integrationPoints }) => [
    ...messages.map(ofMessage),
    ...waysOf(messages),
    ...(externalMessage ? [ofExternalMessage(externalMessage)] : []),
    ...keys.map(ofKey),
    ...subtenants.map(ofSubtenant),
    ...integrationPoints.flatMap(ofPoint),
  ];
}
