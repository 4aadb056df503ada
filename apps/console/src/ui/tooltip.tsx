import { Tooltip as Base } from "@base-ui/react/tooltip";
import type { ReactElement } from "react";

/** A text that shows on hover and focus. It only adds to what the control says of itself: touch screens never show it. */
export function Tooltip({ text, children }: { text: string; children: ReactElement<Record<string, unknown>> }) {
  return (
    <Base.Root>
      <Base.Trigger closeOnClick={false} render={children} />
      <Base.Portal>
        <Base.Positioner sideOffset={6} className="z-50">
          <Base.Popup className="max-w-80 animate-appear rounded-card bg-ink px-2.5 py-1.5 text-xs text-paper shadow-lg">{text}</Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
