import type { MessageDetails } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useText } from "../i18n/i18n.tsx";
import { PageHeader } from "../ui/page.tsx";
import { MessageActions } from "./message-actions.tsx";
import { NoMessage, StateLine } from "./message-body.tsx";
import { MessageFacts } from "./message-facts.tsx";
import { MessagePart, PartLinks, useParts } from "./message-parts.tsx";
import { messageQuery } from "./queries.ts";
import { Verdict } from "./verdict.tsx";

type MessageDetailsViewProps = {
  tenantCode: string;
  messageId: string;
  back: ReactNode;
  /** What stands in `back` is still on its way. */
  isComing?: boolean;
};

/** A message as a page of its own. */
export function MessageDetailsView({ tenantCode, messageId, back, isComing = false }: MessageDetailsViewProps) {
  const t = useText();
  const { data: message } = useQuery(messageQuery(tenantCode, messageId));
  if (!message || isComing) {
    return (
      <>
        <PageHeader title={t("details.title")}>{back}</PageHeader>
        <NoMessage tenantCode={tenantCode} messageId={messageId} />
      </>
    );
  }
  return <Known tenantCode={tenantCode} message={message} back={back} />;
}

function Known({ tenantCode, message, back }: Pick<MessageDetailsViewProps, "tenantCode" | "back"> & { message: MessageDetails }) {
  const parts = useParts(message);
  const [first, ...others] = parts.map((part) => <MessagePart key={part} tenantCode={tenantCode} message={message} part={part} />);
  return (
    <>
      <PageHeader title={message.key} hint={<StateLine message={message} />}>
        <div data-screen-only className="flex flex-wrap items-center gap-2">
          {back}
          <MessageActions tenantCode={tenantCode} message={message} />
        </div>
      </PageHeader>
      <div className="grid gap-4">
        <Verdict tenantCode={tenantCode} message={message} />
        <PartLinks tenantCode={tenantCode} message={message} parts={parts} />
        <div className="grid grid-cols-1 items-start gap-4 xl:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
          <div className="grid min-w-0 gap-4">
            <MessageFacts tenantCode={tenantCode} message={message} />
            {first}
          </div>
          <div className="grid min-w-0 gap-4">{others}</div>
        </div>
      </div>
    </>
  );
}
