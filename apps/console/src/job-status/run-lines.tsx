import type { RunLine } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import { Fragment } from "react";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import { Chip, type Tone } from "../ui/chip.tsx";
import { Card } from "../ui/page.tsx";
import { EmptyState } from "../ui/states.tsx";
import { ExactTime } from "../ui/time.tsx";
import { runLinesQuery } from "./queries.ts";

const levels: Record<RunLine["level"], { label: TextKey; tone: Tone }> = {
  info: { label: "jobStatus.level.info", tone: "neutral" },
  warning: { label: "jobStatus.level.warning", tone: "warn" },
  error: { label: "jobStatus.level.error", tone: "bad" },
};

/** What a run has to tell. */
export default function RunLines({ tenantCode, runId }: { tenantCode: string; runId: number }) {
  const t = useText();
  const { data: lines } = useQuery(runLinesQuery(tenantCode, runId));
  return (
    <Card title={t("jobStatus.log")}>
      {lines?.length === 0 && <EmptyState title={t("jobStatus.noLog")} />}
      <ol className="grid gap-2 p-4">
        {lines?.map((line) => (
          <li key={line.id} className="flex flex-wrap items-baseline gap-2">
            <Chip tone={levels[line.level].tone}>{t(levels[line.level].label)}</Chip>
            <span className="min-w-0 flex-1 basis-60 break-words" dir="auto">
              <LineText line={line} />
            </span>
            <span className="text-xs text-muted">
              <ExactTime at={line.at} />
            </span>
          </li>
        ))}
      </ol>
    </Card>
  );
}

/** Words that have no name stay as they were said. */
function LineText({ line: { text, line, faults } }: { line: RunLine }) {
  const t = useText();
  if (faults.length === 0) return text;
  return (
    <>
      {line !== undefined && `${t("externalItems.line", { line })} `}
      {faults.map(({ path, message }, index) => (
        <Fragment key={index}>
          {index > 0 && "; "}
          {path !== "" && (
            <>
              <bdi>{path}</bdi>:{" "}
            </>
          )}
          <bdi>{message}</bdi>
        </Fragment>
      ))}
    </>
  );
}
