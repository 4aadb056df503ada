import { useState } from "react";
import { useText } from "./i18n/i18n.tsx";
import { ApiError } from "./api/problem.ts";
import { LeaveGuard } from "./ui/leave-guard.tsx";
import { Button } from "./ui/button.tsx";

type Versioned = { version: number };

type Watch = {
  isDirty: boolean;
  /** Somebody else has saved since the draft was begun. */
  isChangedElsewhere: boolean;
  /** Starts again from what is stored now, and drops what was typed. */
  showNow: () => void;
};

type Typed<Stored, Draft> = Watch & {
  /** The record that the draft was begun on; a save names its version. */
  base: Stored;
  draft: Draft;
  setDraft: (draft: Draft) => void;
  /** How often the draft was begun anew: a field that holds more than the draft does begins anew with it. */
  round: number;
  /** Continues from what a save has stored; what was typed since the save was sent stays. */
  saved: (stored: Stored, sent: Draft) => void;
};

/**
 * What somebody types over a record that others change as well. As long as nothing is typed it follows their changes; from then on it stays as it is,
 * on the version that it was begun on. `stored` is the record as the console knows it by now; `isBeside` says of the next version that it changed
 * only what is not typed here; `isHalfTyped`, that a field holds what can't be in the draft yet.
 */
export function useDraft<Stored extends Versioned | null, Draft>(
  stored: Stored,
  draftOf: (stored: Stored) => Draft,
  isBeside: (base: NonNullable<Stored>, next: NonNullable<Stored>) => boolean = () => false,
  isHalfTyped = false,
): Typed<Stored, Draft> {
  const [base, setBase] = useState(stored);
  const [draft, setDraft] = useState(() => draftOf(stored));
  const [round, setRound] = useState(0);
  const isDirty = isHalfTyped || JSON.stringify(draft) !== JSON.stringify(draftOf(base));
  const isNewer = stored !== null && base !== null && stored.version > base.version;
  function showNow(): void {
    setBase(stored);
    setDraft(draftOf(stored));
    setRound(round + 1);
  }
  if (isNewer && isBeside(base, stored)) setBase(stored);
  else if (isNewer && !isDirty) showNow();
  return {
    base,
    draft,
    setDraft,
    round,
    isDirty,
    isChangedElsewhere: isNewer && isDirty,
    showNow,
    saved(next, sent) {
      setBase(next);
      setDraft((typed) => (typed === sent ? draftOf(next) : typed));
    },
  };
}

/** The opened record as the list has it now; if it is gone, as it was when opened. */
export function latestOf<Row extends { id: number | string }>(opened: Row, rows: readonly Row[] | undefined): Row {
  return rows?.find(({ id }) => id === opened.id) ?? opened;
}

/** Whether a save was refused because somebody else had been faster. The form says so once it knows what is stored now. */
export function isOvertaken(error: unknown): boolean {
  return error instanceof ApiError && ["version-changed", "changed-meanwhile"].includes(error.problem.code);
}

/** Beside a form's fields: asks before a draft is lost, and says when it can't be saved any more. */
export function DraftWatch({ isDirty, isChangedElsewhere, showNow }: Watch) {
  const t = useText();
  return (
    <>
      {isDirty && <LeaveGuard />}
      {isChangedElsewhere && (
        <div role="alert" className="flex flex-wrap items-center gap-3 rounded-card bg-warn-soft p-3 text-warn">
          <p className="min-w-48 flex-1">{t("configuration.changedMeanwhile")}</p>
          <Button
            onClick={({ currentTarget }) => {
              // The button disappears, and the focus with it.
              currentTarget.form?.querySelector<HTMLElement>("input:not(:read-only), select, textarea")?.focus();
              showNow();
            }}
          >
            {t("configuration.showNow")}
          </Button>
        </div>
      )}
    </>
  );
}
