import type { ToolboxOperation } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useText } from "../i18n/i18n.tsx";
import type { JobRequest } from "../jobs/queries.ts";
import { useBulk } from "../jobs/use-bulk.tsx";
import { useRoleReason } from "../session/role-texts.ts";
import { Button } from "../ui/button.tsx";
import { ComboboxField } from "../ui/combobox-field.tsx";
import { TextField } from "../ui/field.tsx";
import { queueOptions, queuesQuery } from "../session/workspace.ts";
import { ToolboxForm } from "./toolbox-form.tsx";

type Kind = Extract<ToolboxOperation, "redrive" | "retry-now" | "purge" | "restore">;

const jobs: Record<Kind, { kind: JobRequest["kind"]; state: "dead" | "retrying" | "ready" | "removed" }> = {
  redrive: { kind: "requeue", state: "dead" },
  "retry-now": { kind: "retry-now", state: "retrying" },
  purge: { kind: "remove", state: "ready" },
  restore: { kind: "restore", state: "removed" },
};

/** An operation on the messages of a queue: counted first, then confirmed, then done as a job that can be cancelled. */
export default function BulkOperation({ tenantCode, operation }: { tenantCode: string; operation: Kind }) {
  const t = useText();
  const [queueId, setQueueId] = useState("");
  const [keyPrefix, setKeyPrefix] = useState("");
  const { data: queues = [] } = useQuery(queuesQuery(tenantCode));
  const bulk = useBulk(tenantCode, () => undefined);
  const permission = useRoleReason("operate");
  const { kind, state } = jobs[operation];

  function ask(): void {
    const prefix = keyPrefix.trim();
    bulk.ask({
      kind,
      isFromToolbox: true,
      selection: { filter: { queueId: [Number(queueId)], state: [state], ...(prefix !== "" && { keyPrefix: prefix }) } },
    });
  }

  return (
    <ToolboxForm
      onSubmit={() => {
        if (queueId !== "" && permission === null) ask();
      }}
    >
      <ComboboxField
        label={t("filter.queue")}
        value={queueId}
        onChange={setQueueId}
        options={queueOptions(queues)}
        placeholder={t("mappings.choose")}
      />
      <TextField
        id="toolbox-prefix"
        label={t("toolbox.keyPrefix")}
        dir="ltr"
        maxLength={500}
        value={keyPrefix}
        onChange={(event) => setKeyPrefix(event.target.value)}
      />
      <Button
        type="submit"
        look={operation === "purge" ? "danger" : "primary"}
        className="justify-self-start"
        disabledReason={permission ?? (queueId === "" ? t("toolbox.queueFirst") : null)}
      >
        {t("toolbox.count")}
      </Button>
      {bulk.dialog}
    </ToolboxForm>
  );
}
