import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Navigate } from "@tanstack/react-router";
import { GroupSteps } from "./dead-letters/group-steps.tsx";
import { deadLetterQuery } from "./dead-letters/queries.ts";
import { useText } from "./i18n/i18n.tsx";
import { WithTenant } from "./layouts/with-tenant.tsx";
import { MessageDetailsView } from "./messages/message-details-view.tsx";
import { messageQuery } from "./messages/queries.ts";
import { BackLink } from "./ui/back-link.tsx";

const route = getRouteApi("/shell/deadletter/details/$queue/$id");

/** A dead letter is a message with an unhappy end: the same view, with what is known of its error and the way to the others that died of it. */
export function DeadLetterDetailsPage() {
  const { id } = route.useParams();
  return <WithTenant>{(tenantCode) => <DeadLetter key={id} tenantCode={tenantCode} id={id} />}</WithTenant>;
}

function DeadLetter({ tenantCode, id }: { tenantCode: string; id: string }) {
  const t = useText();
  const { isPending } = useQuery(deadLetterQuery(tenantCode, id));
  const back = (
    <>
      <BackLink to="/deadletter-list" label={t("menu.deadLetters")} />
      <GroupSteps tenantCode={tenantCode} messageId={id} />
      <RightQueue tenantCode={tenantCode} />
    </>
  );
  // The steps stand before what can be done with it, and would move that under somebody's finger if they came later.
  return <MessageDetailsView tenantCode={tenantCode} messageId={id} back={back} isComing={isPending} />;
}

/** The id alone names the message: an address with another queue is put right, so that it can be trusted and handed on. */
function RightQueue({ tenantCode }: { tenantCode: string }) {
  const { queue, id } = route.useParams();
  const { data: message } = useQuery(messageQuery(tenantCode, id));
  if (!message || message.queueName === queue) return null;
  return <Navigate to="/deadletter/details/$queue/$id" params={{ queue: message.queueName, id }} hash replace viewTransition={false} />;
}
