import { useText } from "../../i18n/i18n.tsx";
import { StateChip } from "../../messages/state-chip.tsx";
import type { Choice } from "./choice.ts";

export function optionId(listId: string, index: number): string {
  return `${listId}-${index}`;
}

type ChoiceListProps = {
  id: string;
  choices: Choice[];
  activeIndex: number;
  onPoint: (choice: Choice) => void;
  onChoose: (choice: Choice) => void;
};

/** The listbox below the field, which keeps the focus; `choices` come in the order of their sections. */
export function ChoiceList({ id, choices, activeIndex, onPoint, onChoose }: ChoiceListProps) {
  const t = useText();
  const sections = [...new Set(choices.map(({ section }) => section))];
  return (
    <div id={id} role="listbox" aria-label={t("palette.title")} className="min-h-0 flex-1 overflow-y-auto overscroll-contain px-2">
      {sections.map((section) => (
        <div key={section} role="group" aria-labelledby={`${id}-${section}`} className="pb-2">
          <p id={`${id}-${section}`} className="px-3 pt-3 pb-1 text-xs font-medium text-muted">
            {t(section)}
          </p>
          {choices.map(
            (choice, index) =>
              choice.section === section && (
                <Option
                  key={choice.id}
                  id={optionId(id, index)}
                  choice={choice}
                  isActive={index === activeIndex}
                  onPoint={() => index !== activeIndex && onPoint(choice)}
                  onChoose={() => onChoose(choice)}
                />
              ),
          )}
        </div>
      ))}
    </div>
  );
}

type OptionProps = { id: string; choice: Choice; isActive: boolean; onPoint: () => void; onChoose: () => void };

function Option({ id, choice: { icon: Icon, title, state, hint, action }, isActive, onPoint, onChoose }: OptionProps) {
  return (
    <button
      type="button"
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isActive}
      aria-disabled={action === null || undefined}
      onPointerMove={onPoint}
      // The field keeps the focus.
      onPointerDown={(event) => event.preventDefault()}
      onClick={onChoose}
      className={`flex min-h-11 w-full items-center gap-x-3 rounded-button px-3 py-1.5 text-start max-sm:flex-wrap ${
        isActive ? "bg-primary-soft text-primary-ink outline-2 -outline-offset-2 outline-primary-ink" : ""
      }`}
    >
      <Icon aria-hidden className="size-4.5 shrink-0 rtl:[&.lucide-log-out]:-scale-x-100" />
      <bdi className={`min-w-0 truncate max-sm:flex-1 ${hint ? "sm:max-w-[75%]" : ""}`}>{title}</bdi>
      {state && (
        <span className="shrink-0">
          <StateChip state={state} />
        </span>
      )}
      {/* Where the line is full it is what gives way; a phone has a second line for it. */}
      {hint && (
        <span className={`ms-auto flex min-w-0 shrink-9999 text-xs max-sm:basis-full max-sm:ps-7.5 ${isActive ? "" : "text-muted"}`}>
          <bdi className="truncate">{hint}</bdi>
        </span>
      )}
    </button>
  );
}
