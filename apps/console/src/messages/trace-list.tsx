import type { ObjectTrace } from "@crossdock/contract";
import { Link } from "@tanstack/react-router";
import { useText } from "../i18n/i18n.tsx";
import { Chip } from "../ui/chip.tsx";
import { Card } from "../ui/page.tsx";
import { ExactTime } from "../ui/time.tsx";
import type { TraceEvent } from "./object-trace.ts";
import { StateChip } from "./state-chip.tsx";

type TraceListProps = { trace: ObjectTrace; events: TraceEvent[]; current: string };

/** The trace in words, in the picture's order, with the way to everything that has a page, and what the targets call the object. */
export function TraceList({ trace, events, current }: TraceListProps) {
  const t = useText();
  return (
    <div className="mt-4 grid items-start gap-4 xl:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
      <Card title={t("trace.list")}>
        <ol className="grid gap-3 p-4">
          {events.map((event) => (
            <li
              key={event.id}
              aria-current={event.id === current || undefined}
              className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1 aria-[current]:font-semibold"
            >
              <ExactTime at={event.at} />
              <EventText trace={trace} event={event} />
            </li>
          ))}
        </ol>
      </Card>
      {trace.externalItems.length > 0 && (
        <Card title={t("trace.externalId")}>
          <ul className="grid gap-3 p-4">
            {trace.externalItems.map(({ integrationPointId, integrationPointName, externalId, messageId }) => (
              <li key={integrationPointId} className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
                <span>{integrationPointName}</span>
                <span className="font-mono break-all">{externalId ?? "–"}</span>
                {messageId && <MessageLink messageId={messageId} text={messageId} />}
              </li>
            ))}
          </ul>
        </Card>
      )}
    </div>
  );
}

function EventText({ trace, event }: { trace: ObjectTrace; event: TraceEvent }) {
  const t = useText();
  const [first = "", second = ""] = event.id.split(" ");
  if (event.kind === "version") return <span>{t("compare.version", { version: second })}</span>;
  if (event.kind === "received") {
    const source = trace.externalMessages.find(({ id }) => id === second)?.source;
    return (
      <>
        <span>{t("trace.externalMessage")}</span>
        <Link to="/externalmessages/details/$messageId" params={{ messageId: second }} className="font-mono text-primary-ink underline">
          {second}
        </Link>
        {source && <span className="text-muted">{source}</span>}
      </>
    );
  }
  const message = trace.messages.find(({ id }) => id === first);
  if (event.kind === "message") {
    return (
      <>
        <span>{t("trace.published")}</span>
        <MessageLink messageId={first} text={message?.queueName ?? first} />
        {message && <StateChip state={message.state} />}
      </>
    );
  }
  const note = message?.attemptNotes.find(({ number }) => String(number) === second);
  return (
    <>
      <span>{t("trace.attempt", { number: second })}</span>
      <MessageLink messageId={first} text={message?.queueName ?? first} />
      <Chip tone={event.tone}>{note?.status ? `HTTP ${note.status}` : (note?.errorClass ?? t("attempts.noAnswer"))}</Chip>
      {note?.versions && <span className="text-xs text-muted">{t("attempts.versions", note.versions)}</span>}
    </>
  );
}

function MessageLink({ messageId, text }: { messageId: string; text: string }) {
  return (
    <Link to="/queue/details/$messageId" params={{ messageId }} className="min-w-0 break-words text-primary-ink underline">
      {text}
    </Link>
  );
}
