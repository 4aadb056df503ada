import type { SavedView } from "@crossdock/contract";
import { Save, Star, Trash2, Users } from "lucide-react";
import { useText } from "../i18n/i18n.tsx";
import { useViewOperations, type ViewPlace } from "./saved-views.ts";
import { useIsPermitted } from "../session/session.ts";
import { IconButton } from "../ui/button.tsx";
import { noticeSuccess } from "../ui/notice.tsx";

type ViewRowProps = { place: ViewPlace; view: SavedView; isActive: boolean; present: string; onApply: () => void };

/** One saved view with what can be done with it. */
export function ViewRow({ place, view, isActive, present, onApply }: ViewRowProps) {
  const t = useText();
  const { update, remove, create } = useViewOperations(place, view.list);
  const { name, query, isShared, isDefault } = view;
  const mayOperate = useIsPermitted("operate");
  const mayChange = !isShared || mayOperate;
  const putBack = () => create.mutate({ name, query, isShared });
  return (
    <li className={`flex items-center rounded-button ps-2 ${isActive ? "bg-primary-soft" : "hover:bg-hover"}`}>
      <button
        type="button"
        aria-current={isActive || undefined}
        onClick={onApply}
        className="flex min-h-9 min-w-0 flex-1 items-center gap-2 text-start"
      >
        <bdi title={name} className="truncate">
          {name}
        </bdi>
        {isShared && (
          <span role="img" aria-label={t("view.shared")} title={view.ownerName ?? t("view.shared")}>
            <Users aria-hidden className="size-3.5 text-muted" />
          </span>
        )}
      </button>
      <IconButton label={t("view.open", { name })} aria-pressed={isDefault} onClick={() => update.mutate({ view, isDefault: !isDefault })}>
        <Star aria-hidden className={`size-4 ${isDefault ? "fill-current text-primary-ink" : ""}`} />
      </IconButton>
      {mayChange && !isActive && present !== "" && (
        <IconButton label={t("view.update", { name })} onClick={() => update.mutate({ view, query: present })}>
          <Save aria-hidden className="size-4" />
        </IconButton>
      )}
      {mayChange && (
        <IconButton
          label={t("view.remove", { name })}
          onClick={() =>
            remove.mutate(view, { onSuccess: () => noticeSuccess(t("view.removed"), { label: t("action.undo"), run: putBack }) })
          }
        >
          <Trash2 aria-hidden className="size-4" />
        </IconButton>
      )}
    </li>
  );
}
