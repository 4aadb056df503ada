import type { ViewedList } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import { Bookmark } from "lucide-react";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { useText } from "../i18n/i18n.tsx";
import { savedViewsQuery, useViewOperations, type ViewPlace } from "./saved-views.ts";
import { useRoleReason } from "../session/role-texts.ts";
import { parseTextSearch, writeTextSearch, type TextSearch } from "../text-search.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { Checkbox } from "../ui/choice.tsx";
import { TextField } from "../ui/field.tsx";
import { noticeSuccess } from "../ui/notice.tsx";
import { Popover } from "../ui/popover.tsx";
import { ViewRow } from "./view-row.tsx";

type ViewPickerProps = {
  place: ViewPlace;
  list: ViewedList;
  /** The list's filters as they are now. */
  search: TextSearch;
  onApply: (search: TextSearch) => void;
};

/** Entries of the browser's history in which a list stood: whoever comes back to one finds it as it was left. */
const left = new Set<string>();

/** The saved views of a list: choose one, keep the present filters, say which one the list opens with. */
export function ViewPicker({ place, list, search, onApply }: ViewPickerProps) {
  const t = useText();
  const { data } = useQuery(savedViewsQuery(place));
  const views = data?.filter((view) => view.list === list);
  const present = queryOf(search);
  const active = present === "" ? undefined : views?.find((view) => view.query === present);
  const preferred = views?.find((view) => view.isDefault);
  const entry = useLocation({ select: ({ state }) => `${place} ${list} ${state.key}` });
  const hasOpened = useRef(left.has(entry));
  useEffect(() => {
    left.add(entry);
  }, [entry]);
  const openPreferred = useEffectEvent(() => {
    if (hasOpened.current) return;
    hasOpened.current = true;
    // An address that says anything is what somebody asked for: filters, another tab, a row that is open.
    if (preferred && window.location.search === "") onApply(parseTextSearch(preferred.query));
  });
  const isKnown = data !== undefined;
  useEffect(() => {
    if (isKnown) openPreferred();
  }, [isKnown]);

  const trigger = (
    <button type="button" className={buttonClass("quiet", "min-w-0 max-w-full")}>
      <Bookmark aria-hidden className={`size-4 shrink-0 ${active ? "fill-current" : ""}`} />
      <bdi className="truncate">{active?.name ?? t("view.title")}</bdi>
    </button>
  );
  return (
    <Popover trigger={trigger} title={t("view.title")} align="start">
      {views?.length === 0 && <p className="text-sm text-muted">{t("view.none")}</p>}
      <ul className="-mx-2 grid grid-cols-1 gap-0.5">
        {views?.map((view) => (
          <ViewRow
            key={view.id}
            place={place}
            view={view}
            isActive={view === active}
            present={present}
            onApply={() => onApply(parseTextSearch(view.query))}
          />
        ))}
      </ul>
      {present !== "" && !active && <NewView place={place} list={list} query={present} />}
    </Popover>
  );
}

/** Without the question mark, in one order, so that equal filters are equal texts. */
function queryOf(search: TextSearch): string {
  return writeTextSearch(Object.fromEntries(Object.entries(search).toSorted(([left], [right]) => (left < right ? -1 : 1)))).slice(1);
}

function NewView({ place, list, query }: { place: ViewPlace; list: ViewedList; query: string }) {
  const t = useText();
  const { create } = useViewOperations(place, list);
  const shareReason = useRoleReason("operate");
  const [name, setName] = useState("");
  const [isShared, setIsShared] = useState(false);
  return (
    <form
      className="mt-3 grid gap-3 border-t border-line pt-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() !== "") create.mutate({ name: name.trim(), query, isShared }, { onSuccess: () => noticeSuccess(t("view.saved")) });
      }}
    >
      <TextField label={t("view.name")} value={name} maxLength={100} onChange={(event) => setName(event.target.value)} />
      <Checkbox
        label={t(place === null ? "view.shareWithAdmins" : "view.share")}
        isOn={isShared}
        onChange={setIsShared}
        disabledReason={shareReason}
      />
      <Button look="primary" type="submit" isBusy={create.isPending}>
        {t("view.save")}
      </Button>
    </form>
  );
}
