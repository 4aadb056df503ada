import { Popover as Base } from "@base-ui/react/popover";
import type { ReactElement, ReactNode } from "react";

type PopoverProps = { trigger: ReactElement; title: string; align?: "start" | "end"; children: ReactNode };

/** Something small beside the button that opens it. */
export function Popover({ trigger, title, align = "end", children }: PopoverProps) {
  return (
    <Base.Root>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner align={align} sideOffset={6} className="z-40">
          <Base.Popup className={popoverClass}>
            <Base.Title className="mb-2 font-semibold">{title}</Base.Title>
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

export const popoverClass =
  "max-h-[min(32rem,80dvh)] w-[min(22rem,calc(100vw-1.5rem))] animate-appear overflow-y-auto rounded-card border border-line bg-paper p-4 text-ink shadow-xl";
