import { getRouteApi } from "@tanstack/react-router";
import { GroupSteps } from "./dead-letters/group-steps.tsx";
import { useText } from "./i18n/i18n.tsx";
import { WithTenant } from "./layouts/with-tenant.tsx";
import { MessageDetailsView } from "./messages/message-details-view.tsx";
import { BackLink } from "./ui/back-link.tsx";

const route = getRouteApi("/shell/deadletter/details/$queue/$id");

/** A dead letter is a message with an unhappy end: the same view, with what is known of its error and the way to the others that died of it. */
export function DeadLetterDetailsPage() {
  const t = useText();
  const { id } = route.useParams();
  const back = (tenantCode: string) => (
    <>
      <BackLink to="/deadletter-list" label={t("menu.deadLetters")} />
      <GroupSteps tenantCode={tenantCode} messageId={id} />
    </>
  );
  return (
    <WithTenant>
      {(tenantCode) => <MessageDetailsView key={id} tenantCode={tenantCode} messageId={id} back={back(tenantCode)} />}
    </WithTenant>
  );
}
