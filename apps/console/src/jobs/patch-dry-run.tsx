import type { PatchCounts, PatchedMessage, PatchVerdict } from "@crossdock/contract";
import { allOf } from "../all-of.ts";
import { useText } from "../i18n/i18n.tsx";
import { Chip } from "../ui/chip.tsx";
import JsonDiffViewer from "../ui/json/json-diff-viewer.tsx";
import { parseJson } from "../ui/json/json-tree.ts";
import { DryRun, type Verdicts } from "./dry-run.tsx";
import { patchQuery } from "./patch-queries.ts";

const verdicts: Verdicts<PatchVerdict> = {
  changed: { label: "patch.changed", tone: "ok" },
  unchanged: { label: "patch.unchanged", tone: "neutral" },
  invalid: { label: "patch.invalid", tone: "bad" },
  superseded: { label: "message.state.superseded", tone: "neutral" },
};
const known = allOf<PatchVerdict>()(["changed", "unchanged", "invalid", "superseded"]);

type PatchDryRunProps = { tenantCode: string; jobId: number; counts: PatchCounts };

/** What the patch would make of each message: how many would change, and the difference in each. */
export function PatchDryRun({ tenantCode, jobId, counts }: PatchDryRunProps) {
  return (
    <DryRun
      verdicts={verdicts}
      counts={counts}
      isExact={counts.isExact}
      told={known.filter((verdict) => verdict !== "superseded" || counts.superseded > 0)}
      gone={{ label: "patch.gone", count: counts.gone }}
      read={(verdict) => patchQuery(tenantCode, jobId, verdict)}
      listClass="max-h-80 gap-2"
    >
      {(item) => <PatchedItem key={item.messageId} item={item} />}
    </DryRun>
  );
}

function PatchedItem({ item: { key, verdict, before, after, errors } }: { item: PatchedMessage }) {
  const t = useText();
  const [was, will] = [parseJson(before), after === null ? null : parseJson(after)];
  return (
    <li className="min-w-0 rounded-card border border-line">
      <p className="flex min-w-0 items-center gap-2 px-3 py-2">
        <bdi className="min-w-0 truncate font-medium">{key}</bdi>
        <Chip tone={verdicts[verdict].tone}>{t(verdicts[verdict].label)}</Chip>
      </p>
      {errors.map(({ path, message }) => (
        <p key={`${path} ${message}`} dir="ltr" className="px-3 pb-2 text-xs break-words text-bad rtl:text-right">
          {path || "$"}: {message}
        </p>
      ))}
      {(verdict === "changed" || verdict === "invalid") && was && will && (
        <JsonDiffViewer before={was.value} after={will.value} label={t("patch.changesOf", { key })} />
      )}
    </li>
  );
}
