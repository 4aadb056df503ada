import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Navigate } from "@tanstack/react-router";
import { GroupSteps } from "./dead-letters/group-steps.tsx";
import { useText } from "./i18n/i18n.tsx";
import { WithTenant } from "./layouts/with-tenant.tsx";
import { MessageDetailsView } from "./messages/message-details-view.tsx";
import { messageQuery } from "./messages/queries.ts";
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
      <RightQueue tenantCode={tenantCode} />
    </>
  );
  return (
    <WithTenant>
      {(tenantCode) => <MessageDetailsView key={id} tenantCode={tenantCode} messageId={id} back={back(tenantCode)} />}
    </WithTenant>
  );
}

/** The id alone names the message: an address with another queue is put right, so that it can be trusted and handed on. */
function RightQueue({ tenantCode }: { tenantCode: string }) {
  const { queue, id } = route.useParams();
  const { data: message } = useQuery(messageQuery(tenantCode, id));
  if (!message || message.queueName === queue) return null;
  return <Navigate to="/deadletter/details/$queue/$id" params={{ queue: message.queueName, id }} hash replace viewTransition={false} />;
}
