import type { MessageState } from "@crossdock/contract";
import { ArchiveRestore, Forward, RotateCcw, Trash2 } from "lucide-react";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import { jobSelectionOf, type JobRequest } from "../jobs/queries.ts";
import { useBulk } from "../jobs/use-bulk.tsx";
import { RedirectDialog, useTrial } from "../jobs/use-trial.tsx";
import { isEverything } from "../message-filters/everything.ts";
import { useRoleReason } from "../session/role-texts.ts";
import { Button, type ButtonLook } from "../ui/button.tsx";
import type { Selection } from "../ui/selection.ts";
import { ResendLink } from "./resend-link.tsx";
import { filtersOf, messageFilterOf, wantedStatesOf, type QueueSearch } from "./search.ts";

type Action = { kind: JobRequest["kind"]; label: TextKey; look: ButtonLook; Icon: typeof Trash2; states: readonly MessageState[] };

const actions: readonly Action[] = [
  { kind: "retry-now", label: "action.retryNow", look: "quiet", Icon: RotateCcw, states: ["retrying"] },
  { kind: "requeue", label: "action.requeue", look: "quiet", Icon: RotateCcw, states: ["dead"] },
  { kind: "redirect", label: "action.redirect", look: "quiet", Icon: Forward, states: ["ready", "retrying", "parked", "dead"] },
  { kind: "restore", label: "action.restore", look: "quiet", Icon: ArchiveRestore, states: ["removed"] },
  { kind: "remove", label: "action.remove", look: "danger", Icon: Trash2, states: ["ready", "retrying", "parked", "dead"] },
];

type QueueActionsProps = {
  tenantCode: string;
  search: QueueSearch;
  selection: Selection;
  /** How many match, when that is known. */
  matching: number | null;
  onDone: () => void;
};

/** What can be done with the chosen messages, of those states that the filter lets through. */
export default function QueueActions({ tenantCode, search, selection, matching, onDone }: QueueActionsProps) {
  const t = useText();
  const disabledReason = useRoleReason("operate");
  const bulk = useBulk(tenantCode, onDone);
  const redirecting = useTrial(RedirectDialog, tenantCode, onDone);
  const isAll = isEverything(selection, filtersOf(search), matching);
  const wanted = wantedStatesOf(search.state);
  const offered = actions.filter(({ states }) => wanted.length === 0 || wanted.some((state) => states.includes(state)));
  return (
    <>
      {offered.map(({ kind, label, look, Icon }) => (
        <Button
          key={kind}
          look={look}
          disabledReason={disabledReason}
          onClick={() => {
            const chosen = jobSelectionOf(selection, messageFilterOf(search, new Date()));
            if (kind === "redirect") redirecting.ask(chosen);
            else bulk.ask({ kind, selection: chosen }, { isAll: kind === "remove" && isAll });
          }}
        >
          <Icon aria-hidden className={`size-4 ${kind === "redirect" ? "rtl:-scale-x-100" : ""}`} />
          {t(label)}
        </Button>
      ))}
      {wanted.length > 0 && wanted.every((state) => state === "delivered") && <Delivered selection={selection} />}
      {bulk.dialog}
      {redirecting.dialog}
    </>
  );
}

/** What is delivered is sent again one by one, where that overwrites nothing newer. */
function Delivered({ selection }: { selection: Selection }) {
  const t = useText();
  const [only, ...others] = selection.kind === "some" ? selection.ids : [];
  if (only !== undefined && others.length === 0) return <ResendLink messageId={only} />;
  return <p className="text-muted">{t("queue.resendOne")}</p>;
}
