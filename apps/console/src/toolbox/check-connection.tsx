import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useText } from "../i18n/i18n.tsx";
import { useRoleReason } from "../session/role-texts.ts";
import { TestResult } from "../targets/test-result.tsx";
import { Button } from "../ui/button.tsx";
import { connectorsQuery, integrationPointsQuery } from "../session/workspace.ts";
import { Refusal } from "./answers.tsx";
import { useOperation } from "./operations.ts";
import { PointField } from "./point-field.tsx";
import { ToolboxForm } from "./toolbox-form.tsx";

/** Asks a system by its stored configuration whether address and credentials are right. */
export default function CheckConnection({ tenantCode }: { tenantCode: string }) {
  const t = useText();
  const [pointId, setPointId] = useState("");
  const { data: points = [] } = useQuery(integrationPointsQuery(tenantCode));
  const { data: connectors = [] } = useQuery(connectorsQuery);
  const code = points.find(({ id }) => String(id) === pointId)?.connector;
  const test = useOperation(tenantCode, "connection");
  const permission = useRoleReason("operate");
  const missing = permission ?? (pointId === "" ? t("toolbox.pointFirst") : null);
  return (
    <ToolboxForm
      onSubmit={() => {
        if (missing === null) test.mutate({ operation: "test-connection", integrationPointId: Number(pointId) });
      }}
    >
      <PointField
        label={t("external.integrationPoint")}
        points={points}
        value={pointId}
        onChange={(value) => {
          setPointId(value);
          test.reset();
        }}
      />
      <Button type="submit" look="primary" className="justify-self-start" isBusy={test.isPending} disabledReason={missing}>
        {t("configuration.test")}
      </Button>
      <Refusal error={test.error} />
      {test.data && <TestResult test={test.data.test} connector={connectors.find((connector) => connector.code === code)} />}
    </ToolboxForm>
  );
}
