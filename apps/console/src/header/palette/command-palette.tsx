import { Dialog } from "@base-ui/react/dialog";
import { useRouter } from "@tanstack/react-router";
import { useEffect, useEffectEvent, useId, useState, type KeyboardEvent } from "react";
import { useText } from "../../i18n/i18n.tsx";
import { useUser } from "../../session/session.ts";
import { activeTenantCode } from "../../settings.ts";
import { isComposing } from "../../ui/is-composing.ts";
import { inOrder, matching, type Choice, type Visit } from "./choice.ts";
import { ChoiceList, optionId } from "./choice-list.tsx";
import { useFoundChoices, type Found } from "./found-choices.ts";
import { useLocalChoices } from "./local-choices.ts";
import { PaletteField } from "./palette-field.tsx";
import { PaletteStatus } from "./palette-status.tsx";
import { remember, useRecent } from "./recent.ts";

/** What is typed is held outside, where keys are listened to before the palette is there. */
export type PaletteProps = {
  typed: string;
  /** Enter was pressed before the answer was there. */
  isEager: boolean;
  onType: (text: string) => void;
  onEager: () => void;
  onClose: () => void;
};

/** Search over everything one can go to or set, worked by the keyboard. */
export function CommandPalette({ isOpen, ...rest }: PaletteProps & { isOpen: boolean }) {
  const t = useText();
  return (
    <Dialog.Root open={isOpen} onOpenChange={(next) => !next && rest.onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-50 bg-backdrop" />
        <Dialog.Popup
          data-palette
          aria-label={t("palette.title")}
          className="fixed inset-x-4 top-[12dvh] z-50 mx-auto flex max-h-[70dvh] max-w-2xl animate-appear flex-col overflow-hidden rounded-card border border-line bg-paper text-ink shadow-2xl max-sm:inset-x-0 max-sm:top-0 max-sm:h-dvh max-sm:max-h-none max-sm:rounded-none"
        >
          <PaletteBody {...rest} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function PaletteBody({ typed, isEager, onType, onEager, onClose }: PaletteProps) {
  const listId = useId();
  /** The choice that the operator moved to; the first one until then. */
  const [movedTo, setMovedTo] = useState<string | null>(null);
  const text = typed.trim();
  const found = useFoundChoices(text);
  const choices = useChoices(text, found);
  const choose = useChoose(onClose);

  const moved = choices.findIndex(({ id }) => id === movedTo);
  const activeIndex = moved === -1 ? choices.findIndex(({ action }) => action !== null) : moved;
  const active = choices[activeIndex];
  // What was found for the text before is not what Enter means.
  const isUnsure = found.isSearching && moved === -1 && (!active || found.choices.includes(active));

  const chooseFound = useEffectEvent(() => active && choose(active));
  useEffect(() => {
    if (isEager && !isUnsure) chooseFound();
  }, [isEager, isUnsure]);
  useEffect(() => {
    document.getElementById(optionId(listId, activeIndex))?.scrollIntoView({ block: "nearest" });
  }, [listId, activeIndex]);

  const followKeys = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setMovedTo(choices.at((activeIndex + step) % choices.length)?.id ?? null);
    } else if (event.key === "Enter") {
      event.preventDefault();
      if (isUnsure) onEager();
      else if (active) choose(active);
    }
  };
  const type = (next: string) => {
    onType(next);
    setMovedTo(null);
  };
  return (
    <>
      <PaletteField
        value={typed}
        onChange={type}
        onKeyDown={followKeys}
        listId={listId}
        activeId={active && optionId(listId, activeIndex)}
        isSearching={found.isSearching}
        onClose={onClose}
      />
      <ChoiceList id={listId} choices={choices} activeIndex={activeIndex} onPoint={({ id }) => setMovedTo(id)} onChoose={choose} />
      <PaletteStatus text={text} count={choices.filter(({ section }) => section !== "filter.search").length} found={found} />
    </>
  );
}

function useChoices(text: string, { choices, isSearching }: Found): Choice[] {
  const local = useLocalChoices();
  const recent = useRecent(useUser()?._id ?? "", local, activeTenantCode.use());
  if (text === "") return inOrder([...recent, ...local.filter(({ isHeldBack }) => !isHeldBack)]);
  // While an answer is on its way, what was found is of the text before. The answer itself may fit by what no line shows: a target's id.
  return inOrder([...matching(local, text), ...(isSearching ? matching(choices, text) : choices)]);
}

function useChoose(onClose: () => void): (choice: Choice) => void {
  const visit = useVisit();
  const userId = useUser()?._id ?? "";
  return (choice) => {
    const { action } = choice;
    if (action === null) return;
    onClose();
    if ("run" in action) return action.run();
    remember(userId, choice, action);
    visit(action);
  };
}

/**
 * Goes to a screen. Its tenant becomes the active one on the way: whoever has typed something is asked before it is lost with the tenant, and may
 * stay. The state makes it another place than that of the same address in the tenant before.
 */
function useVisit(): (visit: Visit) => void {
  const router = useRouter();
  return ({ href, tenantCode }) => {
    const isOfAnother = tenantCode !== null && tenantCode !== activeTenantCode.get();
    if (isOfAnother) {
      const stop = router.history.subscribe(({ location }) => {
        stop();
        if (location.state.tenantCode === tenantCode) activeTenantCode.set(tenantCode);
      });
    }
    void router.navigate({ href, ...(isOfAnother && { state: { tenantCode } }) });
  };
}
