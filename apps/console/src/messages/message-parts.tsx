import type { MessageDetails } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import { MessageNotes } from "../notes/message-notes.tsx";
import { messageNotesQuery } from "../notes/queries.ts";
import { RevealableJson } from "../masking/revealable-json.tsx";
import { Card } from "../ui/page.tsx";
import { Attempts } from "./attempts.tsx";
import { Comparison } from "./comparison.tsx";
import { Lane, Trace } from "./trace.tsx";

const titles = {
  attempts: "attempts.title",
  document: "details.document",
  notes: "notes.title",
  compare: "compare.title",
  lane: "lane.title",
  trace: "trace.title",
} satisfies Record<string, TextKey>;

type PartName = keyof typeof titles;
type PartProps = { tenantCode: string; message: MessageDetails };

/**
 * What there is to read of a message, the first thing first: of one that had failed when it was opened what was sent and what came back, of any
 * other its document. Nothing moves under the reader's eyes when the state changes.
 */
export function useParts({ state }: MessageDetails): readonly PartName[] {
  const [parts] = useState((): PartName[] => {
    const first: PartName[] = state === "dead" || state === "retrying" ? ["attempts", "document"] : ["document", "attempts"];
    return [...first, "notes", "compare", "lane", "trace"];
  });
  return parts;
}

/** The way down to each part, with how much there is of it. */
export function PartLinks({ tenantCode, message, parts }: PartProps & { parts: readonly PartName[] }) {
  const t = useText();
  const { data: notes } = useQuery(messageNotesQuery(tenantCode, message.id));
  const counts: Partial<Record<PartName, number | undefined>> = { attempts: message.attempts, notes: notes?.length };

  function goTo(part: PartName): void {
    const place = document.getElementById(idOf(part));
    place?.scrollIntoView();
    place?.focus({ preventScroll: true });
  }

  return (
    <nav data-screen-only aria-label={t("details.parts")} className="-my-2 flex gap-1 overflow-x-auto">
      {parts.map((part) => (
        <button
          key={part}
          type="button"
          onClick={() => goTo(part)}
          className="shrink-0 rounded-button px-2 py-1.5 text-xs font-medium text-primary-ink hover:bg-hover"
        >
          {t(titles[part])}
          {counts[part] ? <span className="ms-1 text-muted tabular-nums">{counts[part]}</span> : null}
        </button>
      ))}
    </nav>
  );
}

const idOf = (part: PartName): string => `message-${part}`;

export function MessagePart({ tenantCode, message, part }: PartProps & { part: PartName }) {
  const props = { tenantCode, messageId: message.id };
  return (
    <div id={idOf(part)} tabIndex={-1} className="min-w-0 scroll-mt-20 outline-none empty:hidden">
      {part === "attempts" && <Attempts {...props} tries={message.attempts} />}
      {part === "document" && <MessageDocument tenantCode={tenantCode} message={message} />}
      {part === "notes" && <MessageNotes {...props} />}
      {part === "compare" && <Comparison {...props} />}
      {part === "lane" && <Lane {...props} />}
      {part === "trace" && <Trace {...props} />}
    </div>
  );
}

function MessageDocument({ tenantCode, message }: PartProps) {
  const t = useText();
  return (
    <Card title={t("details.document")}>
      <RevealableJson
        tenantCode={tenantCode}
        source={{ kind: "message", messageId: message.id }}
        text={message.document}
        label={t("details.document")}
      />
    </Card>
  );
}
