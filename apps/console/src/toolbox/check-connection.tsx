import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useText } from "../i18n/i18n.tsx";
import { useIsPermitted } from "../session.ts";
import { TestResult } from "../test-result.tsx";
import { Button } from "../ui/button.tsx";
import { ComboboxField } from "../ui/combobox-field.tsx";
import { integrationPointOptions, integrationPointsQuery } from "../workspace.ts";
import { Refusal } from "./answers.tsx";
import { useOperation } from "./operations.ts";

/** Asks a system by its stored configuration whether address and credentials are right. */
export function CheckConnection({ tenantCode }: { tenantCode: string }) {
  const t = useText();
  const [pointId, setPointId] = useState("");
  const { data: points = [] } = useQuery(integrationPointsQuery(tenantCode));
  const test = useOperation(tenantCode, "connection");
  const permission = useIsPermitted("operate") ? null : t("role.operatorOnly");
  const missing = permission ?? (pointId === "" ? t("toolbox.pointFirst") : null);
  return (
    <form
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (missing === null) test.mutate({ operation: "test-connection", integrationPointId: Number(pointId) });
      }}
    >
      <ComboboxField
        label={t("external.integrationPoint")}
        value={pointId}
        onChange={(value) => {
          setPointId(value);
          test.reset();
        }}
        options={integrationPointOptions(points)}
        placeholder={t("mappings.choose")}
      />
      <Button type="submit" look="primary" className="justify-self-start" isBusy={test.isPending} disabledReason={missing}>
        {t("configuration.test")}
      </Button>
      <Refusal error={test.error} />
      {test.data && <TestResult test={test.data.test} />}
    </form>
  );
}
