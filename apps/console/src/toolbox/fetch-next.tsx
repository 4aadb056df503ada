import { useQuery } from "@tanstack/react-query";
import { Suspense, useState } from "react";
import { lazyPart } from "../lazy-screen.ts";
import { useText } from "../i18n/i18n.tsx";
import { useRoleReason } from "../session/role-texts.ts";
import { Button } from "../ui/button.tsx";
import { ComboboxField } from "../ui/combobox-field.tsx";
import { Loading } from "../ui/states.tsx";
import { queueOptions, queuesQuery } from "../session/workspace.ts";
import { Refusal, Said } from "./answers.tsx";
import { useOperation } from "./operations.ts";

const HeldMessage = lazyPart(() => import("./held-message.tsx"));

/** The next message of a queue: looked at, or taken as an outside worker takes it. */
export default function FetchNext({ tenantCode }: { tenantCode: string }) {
  const t = useText();
  const [queueId, setQueueId] = useState("");
  const { data: queues = [] } = useQuery(queuesQuery(tenantCode));
  const fetchNext = useOperation(tenantCode, "message");
  const permission = useRoleReason("operate");
  const queue = queues.find(({ id }) => String(id) === queueId);
  const missing = permission ?? (queue ? null : t("toolbox.queueFirst"));
  const unfetchable = missing ?? (queue?.delivery === "push" ? t("toolbox.pushOnly") : null);
  const ask = (isDryRun: boolean) => fetchNext.mutate({ operation: "fetch-next", queueId: Number(queueId), isDryRun });
  return (
    <div className="grid gap-4">
      <ComboboxField
        label={t("filter.queue")}
        value={queueId}
        onChange={(value) => {
          setQueueId(value);
          fetchNext.reset();
        }}
        options={queueOptions(queues)}
        placeholder={t("mappings.choose")}
      />
      <div className="flex flex-wrap gap-2">
        <Button isBusy={fetchNext.isPending} disabledReason={missing} onClick={() => ask(true)}>
          {t("toolbox.look")}
        </Button>
        <Button look="primary" isBusy={fetchNext.isPending} disabledReason={unfetchable} onClick={() => ask(false)}>
          {t("toolbox.fetch")}
        </Button>
      </div>
      <Refusal error={fetchNext.error} />
      {fetchNext.data && !fetchNext.data.message && <Said tone="info">{t("toolbox.nothingWaits")}</Said>}
      {fetchNext.data?.message && (
        <Suspense fallback={<Loading rows={4} />}>
          <HeldMessage
            key={fetchNext.data.lease?.token ?? fetchNext.data.message.id}
            tenantCode={tenantCode}
            message={fetchNext.data.message}
            lease={fetchNext.data.lease}
          />
        </Suspense>
      )}
    </div>
  );
}
