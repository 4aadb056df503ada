import type { Message } from "@crossdock/contract";
import { Link } from "@tanstack/react-router";
import { useText } from "../i18n/i18n.tsx";
import { faultText } from "./message-states.ts";
import { StateChip } from "./state-chip.tsx";
import { Time } from "../ui/time.tsx";

/** Messages that came of one thing, each with what became of it. */
export function PublishedMessages({ messages }: { messages: Message[] }) {
  const t = useText();
  return (
    <ul className="grid gap-2 p-4">
      {messages.map((message) => (
        <li key={message.id} className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
          <StateChip state={message.state} />
          <Link
            to="/queue/details/$messageId"
            params={{ messageId: message.id }}
            className="min-w-0 break-words text-primary-ink underline"
          >
            {message.queueName} · {message.key}
          </Link>
          <Time at={message.publishedAt} />
          {message.error && (
            <span dir="auto" className="w-full break-words text-xs text-bad rtl:text-right">
              {faultText(t, message.error)}
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}
