import { useText } from "../i18n/i18n.tsx";

const [barWidth, gap, height] = [3, 1, 22];

/** Failures per hour of the last day. Bars are as high as their share of the worst hour; time runs from left to right in every language. */
export function Sparkline({ hours }: { hours: readonly number[] }) {
  const t = useText();
  const most = Math.max(1, ...hours);
  const total = hours.reduce((sum, count) => sum + count, 0);
  return (
    <svg
      role="img"
      aria-label={t("deadLetters.lastDay", { count: total })}
      width={hours.length * (barWidth + gap)}
      height={height}
      className="block text-bad"
    >
      <title>{t("deadLetters.lastDay", { count: total })}</title>
      {hours.map((count, hour) => {
        const size = count === 0 ? 1 : Math.max(3, Math.round((count / most) * height));
        return (
          <rect
            key={hour}
            x={hour * (barWidth + gap)}
            y={height - size}
            width={barWidth}
            height={size}
            fill="currentColor"
            opacity={count === 0 ? 0.3 : 1}
          />
        );
      })}
    </svg>
  );
}
