import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useText } from "../i18n/i18n.tsx";
import { Card, PageHeader } from "../ui/page.tsx";
import { EmptyState, ErrorState, Loading } from "../ui/states.tsx";
import { eventsOf, objectTraceQuery } from "./object-trace.ts";
import { TraceList } from "./trace-list.tsx";
import { TracePicture } from "./trace-picture.tsx";

type ObjectTraceViewProps = { tenantCode: string; messageId: string; back: ReactNode };

/** The whole way of the business object that a message carries: as a picture, and step by step. */
export function ObjectTraceView({ tenantCode, messageId, back }: ObjectTraceViewProps) {
  const t = useText();
  const { data: trace, error, refetch } = useQuery(objectTraceQuery(tenantCode, messageId));
  const events = trace ? eventsOf(trace) : [];
  return (
    <>
      <PageHeader title={trace ? t("trace.open", { key: trace.key }) : t("trace.title")}>
        {back}
        <Link to="/queue/details/$messageId" params={{ messageId }} className="text-primary-ink underline">
          {t("trace.back")}
        </Link>
      </PageHeader>
      <Card>
        {!trace && !error && <Loading rows={6} />}
        {error && !trace && <ErrorState detail={error.message} onRetry={() => void refetch()} />}
        {trace && events.length === 0 && <EmptyState title={t("state.noRecord")} />}
        {events.length > 0 && <TracePicture events={events} current={messageId} />}
        {trace?.hasMore && <p className="border-t border-line px-4 py-3 text-muted">{t("trace.hasMore")}</p>}
      </Card>
      {trace && <TraceList trace={trace} events={events} current={messageId} />}
    </>
  );
}
