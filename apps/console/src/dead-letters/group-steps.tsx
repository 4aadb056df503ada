import type { DeadLetterDetails } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ChevronDown, ChevronUp } from "lucide-react";
import { useText } from "../i18n/i18n.tsx";
import { buttonClass } from "../ui/button.tsx";
import { deadLetterQuery } from "./queries.ts";
import { TriageLine } from "./triage-status.tsx";

/** What is known of a dead letter's error, and the way to the others that died of it. It stays when this one has been requeued or removed. */
export function GroupSteps({ tenantCode, messageId }: { tenantCode: string; messageId: string }) {
  const t = useText();
  const { data: deadLetter } = useQuery(deadLetterQuery(tenantCode, messageId));
  if (!deadLetter) return null;
  return (
    <>
      <TriageLine triage={deadLetter.triage} />
      <span className="flex gap-2">
        <Step label={t("deadLetters.previous")} Icon={ChevronUp} neighbour={deadLetter.previous} />
        <Step label={t("deadLetters.next")} Icon={ChevronDown} neighbour={deadLetter.next} />
      </span>
    </>
  );
}

type StepProps = { label: string; Icon: typeof ChevronUp; neighbour: DeadLetterDetails["next"] };

function Step({ label, Icon, neighbour }: StepProps) {
  const icon = <Icon aria-hidden className="size-4" />;
  if (!neighbour)
    return (
      <span aria-hidden className={buttonClass("quiet", "opacity-40")}>
        {icon}
      </span>
    );
  return (
    <Link
      to="/deadletter/details/$queue/$id"
      params={{ queue: neighbour.queueName, id: neighbour.id }}
      aria-label={label}
      title={label}
      className={buttonClass()}
    >
      {icon}
    </Link>
  );
}
