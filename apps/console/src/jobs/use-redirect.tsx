import { Suspense, useState, type ReactNode } from "react";
import { withFarTexts } from "../i18n/i18n.tsx";
import { lazyPart } from "../lazy-screen.ts";
import type { JobSelection } from "./queries.ts";

const RedirectDialog = lazyPart(() => withFarTexts(() => import("./redirect-dialog.tsx")));

type Redirecting = {
  /** Opens the dialog that sends many messages to another target. `queueIds`: where they are now, as far as that is known. */
  ask: (selection: JobSelection, queueIds?: readonly number[]) => void;
  dialog: ReactNode;
};

/** Redirect of a list's messages; `onStarted` lets it drop its selection. */
export function useRedirect(tenantCode: string, onStarted: () => void): Redirecting {
  const [asked, setAsked] = useState<{ selection: JobSelection; queueIds: readonly number[] } | null>(null);
  return {
    ask: (selection, queueIds = queuesOf(selection)) => setAsked({ selection, queueIds }),
    dialog: asked && (
      <Suspense fallback={null}>
        <RedirectDialog tenantCode={tenantCode} {...asked} onStarted={onStarted} onClose={() => setAsked(null)} />
      </Suspense>
    ),
  };
}

/** The queues that the selection's filter names. */
function queuesOf(selection: JobSelection): number[] {
  const named: unknown = "filter" in selection ? selection.filter.queueId : null;
  return Array.isArray(named) ? named.filter((id) => typeof id === "number") : [];
}
