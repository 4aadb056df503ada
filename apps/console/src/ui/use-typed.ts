import { useRef, useState, type ChangeEvent, type FocusEvent } from "react";

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

type Typed = {
  /** For what stands around the fields. */
  watch: { onFocusCapture: (event: FocusEvent) => void; onChange: (event: ChangeEvent<HTMLElement>) => void };
  isTyped: boolean;
  /** The same at this very moment. */
  look: () => boolean;
};

/** Whether any field is other than when somebody came to it; one that is as it was again counts as untouched. */
export function useTyped(): Typed {
  const before = useRef(new Map<Control, string | boolean>());
  const [isTyped, setIsTyped] = useState(false);

  function look(): boolean {
    return [...before.current].some(([control, state]) => control.isConnected && stateOf(control) !== state);
  }
  return {
    isTyped,
    look,
    watch: {
      onFocusCapture({ target }) {
        if (isControl(target) && !before.current.has(target)) before.current.set(target, stateOf(target));
      },
      onChange: () => setIsTyped(look()),
    },
  };
}

function isControl(target: EventTarget): target is Control {
  if (target instanceof HTMLInputElement) return target.type !== "search" && target.type !== "submit";
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}

function stateOf(control: Control): string | boolean {
  return control instanceof HTMLInputElement && ["checkbox", "radio"].includes(control.type) ? control.checked : control.value;
}
