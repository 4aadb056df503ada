import { Suspense, useState, type ReactNode } from "react";
import { withFarTexts } from "../i18n/i18n.tsx";
import { lazyPart } from "../lazy-screen.ts";
import type { JobSelection } from "./queries.ts";

const PatchDialog = lazyPart(() => withFarTexts(() => import("./patch-dialog.tsx")));

type Patching = {
  /** Opens the dialog that changes the documents of many dead letters at once. */
  ask: (selection: JobSelection) => void;
  dialog: ReactNode;
};

/** Bulk patch of a list; `onStarted` lets it drop its selection. */
export function usePatch(tenantCode: string, onStarted: () => void): Patching {
  const [selection, setSelection] = useState<JobSelection | null>(null);
  return {
    ask: setSelection,
    dialog: selection && (
      <Suspense fallback={null}>
        <PatchDialog tenantCode={tenantCode} selection={selection} onStarted={onStarted} onClose={() => setSelection(null)} />
      </Suspense>
    ),
  };
}
