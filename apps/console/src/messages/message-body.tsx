import type { MessageDetails } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import { useText } from "../i18n/i18n.tsx";
import { NotThere } from "../api/not-there.tsx";
import { Card } from "../ui/page.tsx";
import { Time } from "../ui/time.tsx";
import { MessageActions } from "./message-actions.tsx";
import { MessageFacts } from "./message-facts.tsx";
import { MessagePart, PartLinks, useParts } from "./message-parts.tsx";
import { messageQuery } from "./queries.ts";
import { StateChip } from "./state-chip.tsx";
import { Verdict } from "./verdict.tsx";

/** A message in one column, for the drawer beside a list. */
export function MessageBody({ tenantCode, messageId }: { tenantCode: string; messageId: string }) {
  const { data: message } = useQuery(messageQuery(tenantCode, messageId));
  if (!message) return <NoMessage tenantCode={tenantCode} messageId={messageId} />;
  return <Known tenantCode={tenantCode} message={message} />;
}

function Known({ tenantCode, message }: { tenantCode: string; message: MessageDetails }) {
  const parts = useParts(message);
  return (
    <div className="grid min-w-0 grid-cols-1 gap-4">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <StateLine message={message} />
        <div data-screen-only className="flex flex-wrap gap-2">
          <MessageActions tenantCode={tenantCode} message={message} />
        </div>
      </div>
      <Verdict tenantCode={tenantCode} message={message} />
      <PartLinks tenantCode={tenantCode} message={message} parts={parts} />
      <MessageFacts tenantCode={tenantCode} message={message} />
      {parts.map((part) => (
        <MessagePart key={part} tenantCode={tenantCode} message={message} part={part} />
      ))}
    </div>
  );
}

/** What stands in place of a message: it is on its way, it is gone, or it can't be read. */
export function NoMessage({ tenantCode, messageId }: { tenantCode: string; messageId: string }) {
  const t = useText();
  const { error, refetch } = useQuery(messageQuery(tenantCode, messageId));
  return (
    <Card>
      <NotThere error={error} onRetry={() => void refetch()} missing={t("details.missing")} />
    </Card>
  );
}

export function StateLine({ message }: { message: MessageDetails }) {
  return (
    <span className="mt-1 flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
      <StateChip state={message.state} />
      <span>{message.queueName}</span>
      <Time at={message.publishedAt} />
    </span>
  );
}
