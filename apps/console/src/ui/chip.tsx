import type { ReactNode } from "react";

const tones = {
  ok: "bg-ok-soft text-ok",
  warn: "bg-warn-soft text-warn",
  bad: "bg-bad-soft text-bad",
  info: "bg-info-soft text-info",
  neutral: "bg-page text-muted inset-ring inset-ring-line",
};

export type Tone = keyof typeof tones;

/** A short status. The words carry the meaning, the colour only repeats it. */
export function Chip({ tone, title, children }: { tone: Tone; title?: string | undefined; children: ReactNode }) {
  return (
    <span
      title={title}
      className={`inline-flex max-w-full items-center align-middle rounded-full px-2.5 py-0.5 text-xs font-medium ${tones[tone]}`}
    >
      <bdi className="truncate">{children}</bdi>
    </span>
  );
}
