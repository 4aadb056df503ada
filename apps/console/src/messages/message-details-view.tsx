import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useText } from "../i18n/i18n.tsx";
import { PageHeader } from "../ui/page.tsx";
import { MessageActions } from "./message-actions.tsx";
import { MessageDocument, MessageFacts, MessageHistory, NoMessage, StateLine } from "./message-body.tsx";
import { messageQuery } from "./queries.ts";

type MessageDetailsViewProps = { tenantCode: string; messageId: string; back: ReactNode };

/** A message as a page of its own. */
export function MessageDetailsView({ tenantCode, messageId, back }: MessageDetailsViewProps) {
  const t = useText();
  const { data: message } = useQuery(messageQuery(tenantCode, messageId));
  if (!message) {
    return (
      <>
        <PageHeader title={t("details.title")}>{back}</PageHeader>
        <NoMessage tenantCode={tenantCode} messageId={messageId} />
      </>
    );
  }
  return (
    <>
      <PageHeader title={message.key} hint={<StateLine message={message} />}>
        {back}
        <MessageActions tenantCode={tenantCode} message={message} />
      </PageHeader>
      <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
        <div className="grid min-w-0 gap-4">
          <MessageFacts tenantCode={tenantCode} message={message} />
          <MessageDocument tenantCode={tenantCode} message={message} />
        </div>
        <div className="grid min-w-0 gap-4">
          <MessageHistory tenantCode={tenantCode} messageId={messageId} />
        </div>
      </div>
    </>
  );
}
