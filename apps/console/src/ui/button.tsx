import type { ComponentProps, ReactNode } from "react";

const looks = {
  primary: "bg-primary text-on-primary hover:bg-primary-hover disabled:hover:bg-primary",
  quiet: "border border-field-line bg-paper text-ink hover:bg-hover",
  danger: "border border-bad bg-bad-soft text-bad hover:brightness-95",
  plain: "text-primary-ink hover:bg-hover",
};

export type ButtonLook = keyof typeof looks;

/** Classes of a button, for links that look like one. */
export function buttonClass(look: ButtonLook = "quiet", extra = ""): string {
  return `inline-flex min-h-9 items-center justify-center gap-2 rounded-button px-3.5 py-1.5 text-sm font-medium transition-[background,filter] disabled:opacity-60 ${looks[look]} ${extra}`;
}

type ButtonProps = Omit<ComponentProps<"button">, "disabled"> & {
  look?: ButtonLook;
  isBusy?: boolean;
  /** Why the button can't be used. It stays focusable, so that the reason can be read. */
  disabledReason?: string | null | undefined;
};

export function Button({ look = "quiet", isBusy = false, disabledReason, className = "", onClick, ...rest }: ButtonProps) {
  const isOff = isBusy || Boolean(disabledReason);
  return (
    <button
      type="button"
      aria-disabled={isOff || undefined}
      aria-busy={isBusy || undefined}
      title={disabledReason ?? undefined}
      onClick={isOff ? (event) => event.preventDefault() : onClick}
      className={buttonClass(look, `${isOff ? "opacity-60" : ""} ${className}`)}
      {...rest}
    />
  );
}

type IconButtonProps = Omit<ComponentProps<"button">, "disabled"> &
  Pick<ButtonProps, "disabledReason"> & { label: string; children: ReactNode };

/** A square button with an icon; the label is its name and its tooltip, unless it can't be used. */
export function IconButton({ label, disabledReason, children, className = "", onClick, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      aria-disabled={Boolean(disabledReason) || undefined}
      title={disabledReason ?? label}
      onClick={disabledReason ? undefined : onClick}
      className={`inline-grid size-9 shrink-0 place-items-center rounded-full text-current hover:bg-hover ${className}`}
      {...rest}
    >
      {children}
    </button>
  );
}
