import { useText } from "../i18n/i18n.tsx";

const [barWidth, gap, height] = [3, 1, 22];

/** Failures per hour of the last day. Bars are as high as their share of the worst hour; time runs from left to right in every language. */
export function Sparkline({ hours }: { hours: readonly number[] }) {
  const t = useText();
  const most = Math.max(1, ...hours);
  const total = hours.reduce((sum, count) => sum + count, 0);
  const told = `${t("deadLetters.lastDay", { count: total })} · ${t("hub.runningHint")}`;
  return (
    <svg role="img" aria-label={told} width={hours.length * (barWidth + gap)} height={height} className="block text-bad">
      <title>{told}</title>
      {hours.map((count, hour) => {
        const size = count === 0 ? 1 : Math.max(3, Math.round((count / most) * height));
        const x = hour * (barWidth + gap);
        // The hour that has not ended yet is hatched, so that it is not taken for the end of the failures.
        if (hour === hours.length - 1) {
          const middle = x + barWidth / 2;
          return <path key={hour} d={`M${middle} ${height}v-${size}`} stroke="currentColor" strokeWidth={barWidth} strokeDasharray="2 1" />;
        }
        return (
          <rect key={hour} x={x} y={height - size} width={barWidth} height={size} fill="currentColor" opacity={count === 0 ? 0.3 : 1} />
        );
      })}
    </svg>
  );
}
