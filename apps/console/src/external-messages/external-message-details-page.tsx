import type { ExternalMessageDetails } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import { useText } from "../i18n/i18n.tsx";
import { WithTenant } from "../layouts/with-tenant.tsx";
import { NotThere } from "../api/not-there.tsx";
import { ObjectTrace } from "../object-trace.tsx";
import { PublishedMessages } from "../messages/published-messages.tsx";
import { useIsPermitted } from "../session/session.ts";
import { BackLink } from "../ui/back-link.tsx";
import { HeaderList } from "../ui/header-list.tsx";
import { Card, PageHeader } from "../ui/page.tsx";
import { Time } from "../ui/time.tsx";
import { WayLink } from "../way-link.tsx";
import { Correction } from "./correction.tsx";
import { ExternalMessageActions } from "./external-message-actions.tsx";
import { ExternalMessageFacts } from "./external-message-facts.tsx";
import { ExternalStateChip } from "./external-state-chip.tsx";
import { externalMessageQuery } from "./queries.ts";
import { RawBody } from "./raw-body.tsx";
import { ReasonList } from "./reason-list.tsx";

const route = getRouteApi("/shell/externalmessages/details/$messageId");

export function ExternalMessageDetailsPage() {
  const t = useText();
  const { messageId } = route.useParams();
  const isTrace = route.useSearch().view === "trace";
  const back = (
    <Link to="/externalmessages/details/$messageId" params={{ messageId }} className="text-primary-ink underline">
      {t("palette.externalMessage", { id: messageId })}
    </Link>
  );
  return (
    <WithTenant>
      {(tenantCode) =>
        isTrace ? (
          <ObjectTrace key={messageId} tenantCode={tenantCode} of={{ externalMessageId: messageId }} back={back} />
        ) : (
          <Details key={messageId} tenantCode={tenantCode} messageId={messageId} />
        )
      }
    </WithTenant>
  );
}

function Details({ tenantCode, messageId }: { tenantCode: string; messageId: string }) {
  const t = useText();
  const { data: message, error, refetch } = useQuery(externalMessageQuery(tenantCode, messageId));
  const [isCorrecting, setIsCorrecting] = useState(false);
  const back = <BackLink to="/externalmessages" label={t("menu.externalMessages")} />;
  if (!message) {
    return (
      <>
        <PageHeader title={t("details.title")}>{back}</PageHeader>
        <Card>
          <NotThere error={error} onRetry={() => void refetch()} missing={t("external.missing")} />
        </Card>
      </>
    );
  }
  return (
    <>
      <PageHeader title={message.key ?? t("palette.externalMessage", { id: message.id })} hint={<StateLine message={message} />}>
        {back}
        <WayLink objectKey={message.key} />
        <ExternalMessageActions tenantCode={tenantCode} message={message} onCorrect={() => setIsCorrecting(true)} />
      </PageHeader>
      <div className="grid grid-cols-1 items-start gap-4 xl:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
        <div className="grid min-w-0 gap-4">
          <Reasons message={message} />
          <Card title={t(isCorrecting ? "external.correct" : "external.body")}>
            {isCorrecting ? (
              <Correction tenantCode={tenantCode} message={message} onClose={() => setIsCorrecting(false)} />
            ) : (
              <RawBody tenantCode={tenantCode} message={message} />
            )}
          </Card>
        </div>
        <div className="grid min-w-0 gap-4">
          <ExternalMessageFacts tenantCode={tenantCode} message={message} />
          <Card title={t("external.published")}>
            {message.messages.length === 0 ? <NothingPublished message={message} /> : <PublishedMessages messages={message.messages} />}
          </Card>
          <Card title={t("details.headers")}>
            <div className="px-4 pb-4">
              <HeaderList headers={message.headers} />
            </div>
          </Card>
        </div>
      </div>
    </>
  );
}

/** Of what was taken in, too: then no target of its subtenant takes such objects, which the picture of the flow shows. */
function NothingPublished({ message: { state, subtenantCode } }: { message: ExternalMessageDetails }) {
  const t = useText();
  const mayConfigure = useIsPermitted("operate");
  return (
    <div className="grid gap-1 p-4 text-muted">
      <p>{t(state === "accepted" ? "external.noTarget" : "external.nothingPublished")}</p>
      {state === "accepted" && mayConfigure && (
        <Link
          to="/configuration"
          search={{ view: "flow", ...(subtenantCode !== null && { subtenant: subtenantCode }) }}
          className="w-fit text-primary-ink underline"
        >
          {t("external.whoTakes")}
        </Link>
      )}
    </div>
  );
}

function StateLine({ message }: { message: ExternalMessageDetails }) {
  return (
    <span className="mt-1 flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
      <ExternalStateChip state={message.state} removedAt={message.removedAt} />
      <span>{message.source}</span>
      <Time at={message.receivedAt} />
    </span>
  );
}

function Reasons({ message: { state, reasons } }: { message: ExternalMessageDetails }) {
  const t = useText();
  if (reasons.length === 0) return null;
  return (
    <Card title={t(state === "rejected" ? "external.whyRejected" : "external.remarks")}>
      <div className={`m-4 rounded-card p-3 ${state === "rejected" ? "bg-bad-soft text-bad" : "bg-info-soft text-info"}`}>
        <ReasonList reasons={reasons} />
      </div>
    </Card>
  );
}
