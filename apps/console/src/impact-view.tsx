import type { Impact, ImpactSample } from "@crossdock/contract";
import { Suspense } from "react";
import { useIntl } from "react-intl";
import { lazyPart } from "./lazy-screen.ts";
import { useText, type TextKey } from "./i18n/i18n.tsx";
import { Chip, type Tone } from "./ui/chip.tsx";
import { FoldMark } from "./ui/fold-mark.tsx";
import { parseJson, type Json } from "./ui/json/json-tree.ts";
import { Loading } from "./ui/states.tsx";

const JsonDiffViewer = lazyPart(() => import("./ui/json/json-diff-viewer.tsx"));

const effects: Record<ImpactSample["effect"], { text: TextKey; tone: Tone }> = {
  changed: { text: "impact.effect.changed", tone: "info" },
  broken: { text: "impact.effect.broken", tone: "bad" },
  repaired: { text: "impact.effect.repaired", tone: "ok" },
  "still-broken": { text: "impact.effect.stillBroken", tone: "warn" },
};

/** What a change would have done to the last real messages: counts, and each that would differ with what would go out before and after. */
export function ImpactView({ impact }: { impact: Impact }) {
  const t = useText();
  const { formatNumber } = useIntl();
  const { examined, same, changed, broken, repaired, unsure, samples } = impact;
  const counts = [
    { text: t("impact.same"), count: same, tone: "neutral" as const },
    { text: t("impact.changed"), count: changed, tone: "info" as const },
    { text: t("impact.broken"), count: broken, tone: "bad" as const },
    { text: t("impact.repaired"), count: repaired, tone: "ok" as const },
  ];
  return (
    <section aria-label={t("impact.title")} className="grid min-w-0 gap-3">
      <p role="status" className="text-muted">
        {t("impact.examined", { count: examined, shown: formatNumber(examined) })}
      </p>
      <ul className="flex flex-wrap gap-2">
        {counts.map(({ text, count, tone }) => (
          <li key={text}>
            <Chip tone={count > 0 ? tone : "neutral"}>{t("text.labelled", { label: text, value: formatNumber(count) })}</Chip>
          </li>
        ))}
      </ul>
      {unsure > 0 && <p className="text-warn">{t("impact.unsure", { count: unsure })}</p>}
      <ImpactSamples samples={samples} />
    </section>
  );
}

export function ImpactSamples({ samples }: { samples: readonly ImpactSample[] }) {
  return (
    <ul className="grid min-w-0">
      {samples.map((sample) => (
        <li key={sample.messageId} className="min-w-0 border-t border-line">
          <Sample sample={sample} />
        </li>
      ))}
    </ul>
  );
}

function Sample({ sample }: { sample: ImpactSample }) {
  const t = useText();
  const { effect, key, queueName, before, after, errorBefore, errorAfter } = sample;
  return (
    <details className="min-w-0">
      <summary className="flex cursor-pointer flex-wrap items-center gap-2 py-2.5 hover:bg-hover">
        <FoldMark />
        <Chip tone={effects[effect].tone}>{t(effects[effect].text)}</Chip>
        <bdi className="font-medium">{key}</bdi>
        <span dir="ltr" className="text-xs text-muted">
          {queueName}
        </span>
      </summary>
      <div className="grid min-w-0 gap-2 pb-3">
        {errorBefore !== null && <Fault text={t("impact.faultBefore")} error={errorBefore} />}
        {errorAfter !== null && <Fault text={t("impact.faultAfter")} error={errorAfter} />}
        <Suspense fallback={<Loading rows={2} />}>
          <JsonDiffViewer before={outboundOf(before)} after={outboundOf(after)} label={t("impact.outbound", { key })} />
        </Suspense>
      </div>
    </details>
  );
}

function Fault({ text, error }: { text: string; error: string }) {
  return (
    <p className="rounded-card bg-bad-soft p-2 text-xs break-words text-bad">
      {text} <bdi>{error}</bdi>
    </p>
  );
}

/** A body that is JSON is compared value by value. */
function outboundOf(outbound: ImpactSample["before"]): Json {
  if (outbound === null) return null;
  const { method, url, body } = outbound;
  return { request: `${method} ${url}`, body: body === null ? null : (parseJson(body)?.value ?? body) };
}
