import { getRouteApi, Link } from "@tanstack/react-router";
import { useText } from "../i18n/i18n.tsx";
import { WithTenant } from "../layouts/with-tenant.tsx";
import { BackLink } from "../ui/back-link.tsx";
import { MessageDetailsView } from "./message-details-view.tsx";
import { ObjectTraceView } from "./object-trace-view.tsx";

const route = getRouteApi("/shell/queue/details/$messageId");

export function QueueDetailsPage() {
  const t = useText();
  const { messageId } = route.useParams();
  const isTrace = route.useSearch().view === "trace";
  const back = <BackLink to="/queue" label={t("menu.queue")} />;
  const backs = (
    <>
      {back}
      <Link to="/queue/details/$messageId" params={{ messageId }} className="text-primary-ink underline">
        {t("trace.back")}
      </Link>
    </>
  );
  return (
    <WithTenant>
      {(tenantCode) =>
        isTrace ? (
          <ObjectTraceView key={messageId} tenantCode={tenantCode} of={{ messageId }} back={backs} />
        ) : (
          <MessageDetailsView key={messageId} tenantCode={tenantCode} messageId={messageId} back={back} />
        )
      }
    </WithTenant>
  );
}
