import type { Connector, IntegrationPoint } from "@crossdock/contract";
import { useIntl } from "react-intl";
import { useText } from "../i18n/i18n.tsx";
import { useFieldLabels } from "../connectors/connector-words.ts";

/** What has to be set before anything can be delivered. */
export function Lacking({ point: { lacking }, connector }: { point: IntegrationPoint; connector: Connector | undefined }) {
  const t = useText();
  const { formatList } = useIntl();
  const labelOf = useFieldLabels(connector);
  if (lacking.length === 0) return null;
  return (
    <p role="status" className="text-warn">
      {t("configuration.lacking", { fields: formatList(lacking.map(labelOf)) })}
    </p>
  );
}
