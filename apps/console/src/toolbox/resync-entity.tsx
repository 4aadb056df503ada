import type { BodyOf, EntityType, Routes } from "@crossdock/contract";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { api } from "../api/api.ts";
import { EntityTypeField } from "../entity-type-field.tsx";
import { useText } from "../i18n/i18n.tsx";
import { useRoleReason } from "../session/role-texts.ts";
import { Button } from "../ui/button.tsx";
import { SelectField, TextField } from "../ui/field.tsx";
import { useRefresh } from "../live/use-refresh.ts";
import { subtenantOptions, subtenantsQuery } from "../session/workspace.ts";
import { ToolboxForm } from "./toolbox-form.tsx";

/** Publishes the newest document of one object again to all that want it. */
export default function ResyncEntity({ tenantCode }: { tenantCode: string }) {
  const t = useText();
  const refresh = useRefresh(tenantCode);
  const [entityType, setEntityType] = useState<EntityType>("item");
  const [subtenant, setSubtenant] = useState("");
  const [key, setKey] = useState("");
  const { data: subtenants = [] } = useQuery(subtenantsQuery(tenantCode));
  const permission = useRoleReason("operate");
  const isReady = subtenant !== "" && key.trim() !== "";
  const resync = useMutation({
    mutationFn: (body: BodyOf<Routes["resyncEntity"]>) =>
      api<Routes["resyncEntity"]>("POST", "/tenants/:tenantCode/entity-resyncs", { params: { tenantCode }, body }),
    onSuccess: refresh,
  });
  return (
    <ToolboxForm
      onSubmit={() => {
        if (isReady && permission === null) resync.mutate({ entityType, subtenant, key: key.trim(), isFromToolbox: true });
      }}
    >
      <SelectField
        label={t("filter.subtenant")}
        value={subtenant}
        onChange={(value) => {
          setSubtenant(value);
          resync.reset();
        }}
        options={[{ value: "", label: t("mappings.choose") }, ...subtenantOptions(subtenants)]}
      />
      <EntityTypeField
        value={entityType}
        onChange={(value) => {
          setEntityType(value);
          resync.reset();
        }}
      />
      <TextField
        id="toolbox-key"
        label={t("filter.key")}
        dir="ltr"
        maxLength={500}
        value={key}
        onChange={(event) => {
          setKey(event.target.value);
          resync.reset();
        }}
      />
      <Button
        type="submit"
        look="primary"
        className="justify-self-start"
        isBusy={resync.isPending}
        disabledReason={permission ?? (isReady ? null : t("toolbox.objectFirst"))}
      >
        {t("toolbox.run")}
      </Button>
      {resync.error && (
        <p role="alert" className="rounded-card bg-bad-soft p-3 text-bad">
          {t("toolbox.noObject")}
        </p>
      )}
      {resync.data && (
        <p role="status" className="rounded-card bg-ok-soft p-3 text-ok">
          {t("toolbox.resynced", { count: resync.data.messageIds.length, version: resync.data.version })}{" "}
          <Link to="/queue" search={{ key: key.trim() }} className="underline">
            {t("menu.queue")}
          </Link>
        </p>
      )}
    </ToolboxForm>
  );
}
