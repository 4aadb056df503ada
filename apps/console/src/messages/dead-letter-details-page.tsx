import { getRouteApi } from "@tanstack/react-router";
import { useText } from "../i18n/i18n.tsx";
import { WithTenant } from "../layouts/with-tenant.tsx";
import { BackLink } from "../ui/back-link.tsx";
import { MessageDetailsView } from "./message-details-view.tsx";

const route = getRouteApi("/shell/deadletter/details/$queue/$id");

/** A dead letter is a message with an unhappy end: the same view, with the way back to the dead letters. */
export function DeadLetterDetailsPage() {
  const t = useText();
  const { id } = route.useParams();
  const back = <BackLink to="/deadletter-list" label={t("menu.deadLetters")} />;
  return <WithTenant>{(tenantCode) => <MessageDetailsView key={id} tenantCode={tenantCode} messageId={id} back={back} />}</WithTenant>;
}
