import type { ReactNode } from "react";
import { useIntl } from "react-intl";
import { BarePopover } from "../ui/bare-popover.tsx";

type HeaderPopoverProps = {
  label: string;
  trigger: ReactNode;
  onOpen?: () => void;
  children: (close: () => void) => ReactNode;
};

/** An icon of the header and what it opens. */
export function HeaderPopover({ label, trigger, onOpen, children }: HeaderPopoverProps) {
  const button = (
    <button
      type="button"
      aria-label={label}
      title={label}
      className="relative inline-grid size-9 shrink-0 place-items-center rounded-full text-current hover:bg-hover"
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

/** The server counts no further. */
const unreadMax = 99;

/** On a trigger: how much behind it is unread. */
export function UnreadBadge({ count }: { count: number }) {
  const { formatNumber } = useIntl();
  if (count === 0) return null;
  return (
    <span className="absolute -end-0.5 -top-0.5 min-w-4.5 rounded-full bg-secondary px-1 text-center text-[0.6875rem] leading-4.5 font-semibold text-on-secondary">
      {count > unreadMax ? `${unreadMax}+` : formatNumber(count)}
    </span>
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
