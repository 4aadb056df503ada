import type { ComponentProps, ReactElement, ReactNode } from "react";
import { BarePopover, type PopoverAlign } from "./bare-popover.tsx";

type PopoverProps = { trigger: ReactElement<ComponentProps<"button">>; title: string; align?: PopoverAlign; children: ReactNode };

/** Something small beside the button that opens it. */
export function Popover({ trigger, title, align = "end", children }: PopoverProps) {
  return (
    <BarePopover label={title} trigger={trigger} align={align}>
      {() => (
        <div className="p-4">
          <h2 className="mb-2 font-semibold">{title}</h2>
          {children}
        </div>
      )}
    </BarePopover>
  );
}
