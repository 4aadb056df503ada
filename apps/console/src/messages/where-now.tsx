import type { MessageState, ObjectTrace } from "@crossdock/contract";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useIntl } from "react-intl";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import { Time } from "../ui/time.tsx";
import { faultText } from "./message-states.ts";
import { standingOf } from "./standing.ts";

const texts: Record<MessageState, TextKey> = {
  ready: "trace.now.ready",
  "in-hand": "trace.now.inHand",
  retrying: "trace.now.retrying",
  parked: "trace.now.parked",
  dead: "trace.now.dead",
  delivered: "trace.now.delivered",
  superseded: "trace.now.superseded",
  removed: "trace.now.removed",
  redirected: "trace.now.redirected",
};

const inks: Partial<Record<MessageState, string>> = { dead: "text-bad", retrying: "text-warn", parked: "text-warn" };

const linkClass = "font-medium underline";

/** Where the object stands now, a sentence for each target. */
export function WhereNow({ trace }: { trace: ObjectTrace }) {
  const t = useText();
  const { formatMessage } = useIntl();
  const standing = standingOf(trace.messages);
  const [last] = trace.externalMessages;
  const rejected = last?.state === "rejected" ? last : undefined;
  return (
    <ul aria-label={t("trace.now")} className="mb-4 grid gap-1">
      {rejected && (
        <li className="text-bad">
          {formatMessage(
            { id: "trace.now.rejected" },
            {
              message: (
                <Link to="/externalmessages/details/$messageId" params={{ messageId: rejected.id }} className={linkClass}>
                  {rejected.id}
                </Link>
              ),
              time: <Time at={rejected.receivedAt} />,
            },
          )}
        </li>
      )}
      {standing.map((message) => (
        <li key={message.id} className={inks[message.state]}>
          <Sentence message={message} />
        </li>
      ))}
      {!rejected && standing.length === 0 && <li>{t("trace.now.nowhere")}</li>}
    </ul>
  );
}

function Sentence({ message }: { message: ObjectTrace["messages"][number] }) {
  const t = useText();
  const { formatMessage } = useIntl();
  const { id, state, integrationPointName, finishedAt, nextAttemptAt, error } = message;
  const at = state === "retrying" ? nextAttemptAt : finishedAt;
  const values: Record<"target" | "time" | "error", ReactNode> = {
    target: (
      <Link to="/queue/details/$messageId" params={{ messageId: id }} className={linkClass}>
        <bdi>{integrationPointName}</bdi>
      </Link>
    ),
    time: at === null ? "" : <Time at={at} />,
    error: <bdi className="break-words">{error === null ? "–" : faultText(t, error)}</bdi>,
  };
  return formatMessage({ id: texts[state] }, values);
}
