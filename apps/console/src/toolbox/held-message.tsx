import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useText } from "../i18n/i18n.tsx";
import { useRoleReason } from "../session/role-texts.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { JsonViewer } from "../ui/json/json-viewer.tsx";
import { Facts } from "../ui/page.tsx";
import { ExactTime } from "../ui/time.tsx";
import { queuesQuery } from "../session/workspace.ts";
import { Refusal, Said } from "./answers.tsx";
import { useSettle, type ResultOf } from "./operations.ts";

type HeldMessageProps = {
  tenantCode: string;
  message: NonNullable<ResultOf<"message">["message"]>;
  lease: ResultOf<"message">["lease"];
};

/** A message that was looked at, or is held under a lease until it is settled. */
export default function HeldMessage({ tenantCode, message, lease }: HeldMessageProps) {
  const t = useText();
  const { data: queues = [] } = useQuery(queuesQuery(tenantCode));
  const facts = [
    { name: t("filter.key"), value: <bdi>{message.key}</bdi> },
    { name: t("toolbox.messageId"), value: message.id },
    { name: t("filter.queue"), value: queues.find(({ id }) => id === message.queueId)?.name ?? message.queueId },
    { name: t("toolbox.attempt"), value: message.attempt },
    ...(lease ? [{ name: t("toolbox.leasedUntil"), value: <ExactTime at={lease.until} /> }] : []),
  ];
  return (
    <div className="min-w-0 rounded-card border border-line">
      <Facts facts={facts} />
      <div className="border-t border-line p-4">
        <JsonViewer text={message.document} label={t("toolbox.document")} />
      </div>
      {lease && <Settling tenantCode={tenantCode} message={message} leaseToken={lease.token} />}
    </div>
  );
}

function Settling({ tenantCode, message, leaseToken }: Omit<HeldMessageProps, "lease"> & { leaseToken: string }) {
  const t = useText();
  const [reason, setReason] = useState("");
  const settle = useSettle(tenantCode);
  const disabledReason = useRoleReason("gateway");
  const held = { messageId: message.id, queueId: message.queueId, leaseToken };
  const needsReason = disabledReason ?? (reason.trim() === "" ? t("toolbox.reasonFirst") : null);
  const said = { ack: t("toolbox.settledAck"), "nack-retry": t("toolbox.settledRetry"), "nack-dead": t("toolbox.settledDead") };
  if (settle.data)
    return (
      <div className="border-t border-line p-4">
        <Said>{said[settle.data]}</Said>
      </div>
    );
  return (
    <div className="grid gap-3 border-t border-line p-4">
      <p className="text-muted">{t("toolbox.settleHint")}</p>
      <TextField
        id="toolbox-reason"
        label={t("version.reason")}
        maxLength={500}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
      />
      <div className="flex flex-wrap gap-2">
        <Button
          look="primary"
          isBusy={settle.isPending}
          disabledReason={disabledReason}
          onClick={() => settle.mutate({ held, how: "ack", reason })}
        >
          {t("toolbox.ack")}
        </Button>
        <Button
          isBusy={settle.isPending}
          disabledReason={needsReason}
          onClick={() => settle.mutate({ held, how: "nack-retry", reason: reason.trim() })}
        >
          {t("toolbox.giveBack")}
        </Button>
        <Button
          look="danger"
          isBusy={settle.isPending}
          disabledReason={needsReason}
          onClick={() => settle.mutate({ held, how: "nack-dead", reason: reason.trim() })}
        >
          {t("toolbox.refuse")}
        </Button>
      </div>
      <Refusal error={settle.error} />
    </div>
  );
}
