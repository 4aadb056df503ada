import type { ObjectTrace } from "@crossdock/contract";
import { Link } from "@tanstack/react-router";
import { useIntl } from "react-intl";
import { useText } from "../i18n/i18n.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { inUnit } from "../ui/time-unit.ts";
import { Chip } from "../ui/chip.tsx";
import { Card } from "../ui/page.tsx";
import { ExactTime } from "../ui/time.tsx";
import { wayTo } from "./event-way.ts";
import { actionOf, actionTexts, type TraceEvent } from "./object-trace.ts";
import { StateChip } from "./state-chip.tsx";

type TraceListProps = { trace: ObjectTrace; events: TraceEvent[]; current: string };

/** The trace in words, in the picture's order, with the way to everything that has a page. */
export function TraceList({ trace, events, current }: TraceListProps) {
  const t = useText();
  return (
    <div className="mt-4">
      <Card title={t("trace.list")}>
        <ol className="grid divide-y divide-line gap-x-4 px-4 py-1 sm:grid-cols-[max-content_max-content_minmax(0,1fr)]">
          {events.map((event, index) => (
            <li
              key={event.id}
              aria-current={event.id === current || undefined}
              className="col-span-full flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1 py-2 aria-[current]:font-semibold sm:grid sm:grid-cols-subgrid"
            >
              <span className="tabular-nums">{event.at === null ? "–" : <ExactTime at={event.at} />}</span>
              <span className="text-xs text-muted tabular-nums sm:text-end">
                <Since from={events[index - 1]?.at} to={event.at} />
              </span>
              <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1 max-sm:w-full">
                <EventText trace={trace} event={event} />
              </div>
            </li>
          ))}
        </ol>
      </Card>
    </div>
  );
}

/** How long after the event before it something happened; nothing where it was at once. */
function Since({ from, to }: { from: string | null | undefined; to: string | null }) {
  const { formatNumber } = useIntl();
  if (!from || to === null) return null;
  const passed = Date.parse(to) - Date.parse(from);
  return passed < 1 ? null : formatNumber(...inUnit(passed, { signDisplay: "always" }));
}

function EventText({ trace, event }: { trace: ObjectTrace; event: TraceEvent }) {
  const t = useText();
  const [first = "", second = ""] = event.id.split(" ");
  const way = wayTo(trace, event);
  if (event.kind === "version") {
    return (
      <Link {...way} className="text-primary-ink underline">
        {t("compare.version", { version: second })}
      </Link>
    );
  }
  if (event.kind === "external-id") {
    const item = trace.externalItems.find(({ integrationPointId }) => String(integrationPointId) === second);
    const name = item?.externalId ?? "";
    return (
      <>
        <span>{t("trace.externalId")}</span>
        <Link {...way} className="text-primary-ink underline">
          {item?.integrationPointName}
        </Link>
        <span dir="ltr" className="font-mono break-all">
          {name}
        </span>
        <CopyButton text={name} className="-my-2" />
      </>
    );
  }
  if (event.kind === "received") {
    const { source, configurationVersion: version } = trace.externalMessages.find(({ id }) => id === second) ?? {};
    return (
      <>
        <span>{t("trace.externalMessage")}</span>
        <Link {...way} className="font-mono text-primary-ink underline">
          {second}
        </Link>
        {source && <span className="text-muted">{source}</span>}
        {version && <span className="text-xs text-muted">{t("trace.configuration", { version })}</span>}
      </>
    );
  }
  const message = trace.messages.find(({ id }) => id === first);
  if (event.kind === "message") {
    return (
      <>
        <span>{t("trace.published")}</span>
        <MessageLink messageId={first} text={message?.integrationPointName ?? first} />
        {message && <StateChip state={message.state} />}
      </>
    );
  }
  if (event.kind === "action") {
    const action = actionOf(trace, event);
    return (
      <>
        {action && <span className="min-w-0 break-words">{t(actionTexts[action.verb], { by: action.by })}</span>}
        <MessageLink messageId={first} text={message?.integrationPointName ?? first} />
      </>
    );
  }
  const note = message?.attemptNotes.find(({ number }) => String(number) === second);
  return (
    <>
      <span>{t("trace.attempt", { number: second })}</span>
      <MessageLink messageId={first} text={message?.integrationPointName ?? first} />
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
