type ProgressBarProps = {
  label: string;
  /** How far it is, in words. */
  text: string;
  done: number;
  total: number;
  isBad?: boolean;
};

export function ProgressBar({ label, text, done, total, isBad = false }: ProgressBarProps) {
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={total}
      aria-valuenow={done}
      aria-valuetext={text}
      className="h-2 overflow-hidden rounded-full bg-line"
    >
      <div
        className={`h-full rounded-full transition-[width] forced-color-adjust-none ${isBad ? "bg-bad" : "bg-primary-ink"}`}
        style={{ width: `${total === 0 ? 100 : (100 * done) / total}%` }}
      />
    </div>
  );
}
