import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useText } from "../i18n/i18n.tsx";
import { NotThere } from "../api/not-there.tsx";
import { RelatedObjects } from "../related-objects.tsx";
import { Card, PageHeader } from "../ui/page.tsx";
import { EmptyState } from "../ui/states.tsx";
import { eventsOf, traceQuery, type TraceOf } from "./object-trace.ts";
import { TraceList } from "./trace-list.tsx";
import { TracePicture } from "./trace-picture.tsx";
import { WhereNow } from "./where-now.tsx";

type ObjectTraceViewProps = { tenantCode: string; of: TraceOf; back: ReactNode };

/** The whole way of a business object: as a picture, and step by step. What was made into no object has a way, too, if a short one. */
export function ObjectTraceView({ tenantCode, of, back }: ObjectTraceViewProps) {
  const t = useText();
  const { data: trace, error, refetch } = useQuery(traceQuery(tenantCode, of));
  const current = "messageId" in of ? of.messageId : `received ${of.externalMessageId ?? ""}`;
  const events = trace ? eventsOf(trace) : [];
  return (
    <>
      <PageHeader title={trace?.key ? t("trace.open", { key: trace.key }) : t("trace.title")}>{back}</PageHeader>
      {trace && events.length > 0 && <WhereNow trace={trace} />}
      {trace && trace.related.length > 0 && (
        <div className="mb-4">
          <RelatedObjects related={trace.related} subtenantCode={trace.subtenantCode ?? ""} isDevelopment={trace.isDevelopment} />
        </div>
      )}
      <Card>
        {!trace && (
          <NotThere error={error} onRetry={() => void refetch()} missing={t("messageId" in of ? "details.missing" : "external.missing")} />
        )}
        {trace && events.length === 0 && <EmptyState title={t("state.noRecord")} />}
        {trace && events.length > 0 && <TracePicture trace={trace} events={events} current={current} />}
        {trace?.hasMore && <p className="border-t border-line px-4 py-3 text-muted">{t("trace.hasMore")}</p>}
      </Card>
      {trace && <TraceList trace={trace} events={events} current={current} />}
    </>
  );
}
