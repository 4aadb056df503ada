import { useQuery } from "@tanstack/react-query";
import { Suspense, useState } from "react";
import { lazyPart } from "../lazy-screen.ts";
import { useText } from "../i18n/i18n.tsx";
import { SelectField } from "../ui/field.tsx";
import { parseJson, type Json } from "../ui/json/json-tree.ts";
import { Card } from "../ui/page.tsx";
import { traceQuery } from "./object-trace.ts";
import { attemptsQuery, messageQuery } from "./queries.ts";

const JsonDiffViewer = lazyPart(() => import("../ui/json/json-diff-viewer.tsx"));

type ComparisonProps = { tenantCode: string; messageId: string };

/** Any two of a message's documents side by side: the canonical one, what was sent, what came back, the versions of its object. */
export function Comparison({ tenantCode, messageId }: ComparisonProps) {
  const t = useText();
  const documents = useDocuments(tenantCode, messageId);
  const [chosen, setChosen] = useState<{ from?: string; to?: string }>({});
  const [first, second] = documents;
  if (!first || !second) return null;
  const from = documents.find(({ value }) => value === chosen.from) ?? first;
  const to = documents.find(({ value }) => value === chosen.to) ?? second;
  return (
    <Card title={t("compare.title")}>
      <div className="grid grid-cols-1 gap-4 p-4 sm:grid-cols-2">
        <SelectField
          label={t("compare.from")}
          value={from.value}
          onChange={(value) => setChosen({ ...chosen, from: value })}
          options={documents}
        />
        <SelectField
          label={t("compare.to")}
          value={to.value}
          onChange={(value) => setChosen({ ...chosen, to: value })}
          options={documents}
        />
      </div>
      <div className="border-t border-line">
        <Suspense fallback={null}>
          <JsonDiffViewer before={from.json} after={to.json} label={t("compare.title")} />
        </Suspense>
      </div>
    </Card>
  );
}

type Named = { value: string; label: string; json: Json };

/** Everything that was kept: JSON value by value, anything else line by line. */
function useDocuments(tenantCode: string, messageId: string): Named[] {
  const t = useText();
  const { data: message } = useQuery(messageQuery(tenantCode, messageId));
  const { data: attempts = [] } = useQuery(attemptsQuery(tenantCode, messageId));
  const { data: trace } = useQuery(traceQuery(tenantCode, { messageId: messageId }));
  const texts = [
    { value: "document", label: t("details.document"), text: message?.document },
    ...attempts.toReversed().flatMap(({ number, request, response }) => [
      { value: `sent ${number}`, label: t("compare.sent", { number }), text: request?.body },
      { value: `answer ${number}`, label: t("compare.answer", { number }), text: response?.body },
    ]),
    ...(trace?.versions ?? []).map(({ version, document }) => ({
      value: `version ${version}`,
      label: t("compare.version", { version }),
      text: document,
    })),
  ];
  return texts.flatMap(({ value, label, text }) => {
    return text ? [{ value, label, json: (parseJson(text) ?? { value: text.split("\n") }).value }] : [];
  });
}
