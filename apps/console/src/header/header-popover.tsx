import type { ReactNode } from "react";
import { BarePopover } from "../ui/bare-popover.tsx";

type HeaderPopoverProps = {
  label: string;
  trigger: ReactNode;
  triggerClass?: string;
  onOpen?: () => void;
  children: (close: () => void) => ReactNode;
};

/** An icon of the header and what it opens. */
export function HeaderPopover({ label, trigger, triggerClass = "size-9 rounded-full", onOpen, children }: HeaderPopoverProps) {
  const button = (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={`relative inline-grid shrink-0 place-items-center text-current hover:bg-hover ${triggerClass}`}
    >
      {trigger}
    </button>
  );
  return (
    <BarePopover label={label} trigger={button} align="end" onOpen={onOpen}>
      {children}
    </BarePopover>
  );
}

/** The title line of a popover's card. */
export function PopoverTitle({ children }: { children: ReactNode }) {
  return <h2 className="border-b border-line px-4 py-3 font-semibold">{children}</h2>;
}

/** What a popover says when it has nothing to show. */
export function PopoverEmpty({ icon, children }: { icon: ReactNode; children: ReactNode }) {
  return (
    <div className="grid justify-items-center gap-2 px-6 py-10 text-center text-muted">
      {icon}
      <p>{children}</p>
    </div>
  );
}
