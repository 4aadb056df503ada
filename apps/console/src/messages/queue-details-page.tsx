import { getRouteApi } from "@tanstack/react-router";
import { useText } from "../i18n/i18n.tsx";
import { WithTenant } from "../layouts/with-tenant.tsx";
import { BackLink } from "../ui/back-link.tsx";
import { MessageDetailsView } from "./message-details-view.tsx";
import { ObjectTraceView } from "./object-trace-view.tsx";

const route = getRouteApi("/shell/queue/details/$messageId");

export function QueueDetailsPage() {
  const t = useText();
  const { messageId } = route.useParams();
  const View = route.useSearch().view === "trace" ? ObjectTraceView : MessageDetailsView;
  const back = <BackLink to="/queue" label={t("menu.queue")} />;
  return <WithTenant>{(tenantCode) => <View key={messageId} tenantCode={tenantCode} messageId={messageId} back={back} />}</WithTenant>;
}
