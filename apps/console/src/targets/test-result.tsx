import type { ConnectionTest, Connector } from "@crossdock/contract";
import { useIntl } from "react-intl";
import { useFieldLabels } from "../connectors/connector-words.ts";
import { useText, type TextKey } from "../i18n/i18n.tsx";

/** What a result is called. */
export const testTexts: Record<ConnectionTest["result"], TextKey> = {
  connected: "test.connected",
  answered: "test.answered",
  "credentials-refused": "test.credentialsRefused",
  "error-answer": "test.errorAnswer",
  unreachable: "test.unreachable",
  "name-not-found": "test.nameNotFound",
  "tls-failed": "test.tlsFailed",
  timeout: "test.timeout",
  "address-refused": "test.addressRefused",
  incomplete: "test.incomplete",
  untestable: "test.untestable",
  "no-address": "test.noAddress",
};

export function toneOfTest(result: ConnectionTest["result"]): "ok" | "info" | "bad" {
  if (result === "connected") return "ok";
  return result === "answered" || result === "untestable" || result === "no-address" ? "info" : "bad";
}

type TestResultProps = { test: ConnectionTest; connector: Connector | undefined };

export function TestResult({ test: { result, url, status, durationMs, detail, fields, answer }, connector }: TestResultProps) {
  const t = useText();
  const { formatNumber, formatList } = useIntl();
  const labelOf = useFieldLabels(connector);
  const ground = { ok: "bg-ok-soft text-ok", info: "bg-info-soft text-info", bad: "bg-bad-soft text-bad" }[toneOfTest(result)];
  return (
    <div role="status" className={`grid min-w-0 gap-1 rounded-card p-3 ${ground}`}>
      <p className="font-medium">{t(testTexts[result])}</p>
      {url !== null && (
        <p dir="ltr" className="text-xs break-all">
          {url}
          {status !== null && ` · HTTP ${status}`} ·{" "}
          {formatNumber(durationMs, { style: "unit", unit: "millisecond", maximumFractionDigits: 0 })}
        </p>
      )}
      {fields.length > 0 ? (
        <p className="text-xs break-words">{t("test.fields", { fields: formatList(fields.map(labelOf)) })}</p>
      ) : (
        detail !== null && <bdi className="text-xs break-words">{detail}</bdi>
      )}
      {answer !== null && answer !== "" && result !== "connected" && (
        <pre dir="ltr" tabIndex={0} className="max-h-40 overflow-auto text-xs whitespace-pre-wrap">
          {answer}
        </pre>
      )}
    </div>
  );
}
