import { Suspense, useState, type ComponentType, type ReactNode } from "react";
import { lazyPart } from "../lazy-screen.ts";
import type { JobSelection } from "./queries.ts";

/** Sends messages to another target. */
export const RedirectDialog = lazyPart(() => import("./redirect-dialog.tsx"));

/** `queueIds`: where the messages are now, as far as that is known. */
type Asked = { selection: JobSelection; queueIds: readonly number[] };
type DialogProps = Asked & { tenantCode: string; onStarted: () => void; onClose: () => void };

type Trial = { ask: (selection: Asked["selection"], queueIds?: Asked["queueIds"]) => void; dialog: ReactNode };

/** What `Dialog` does to many messages of a list after a dry run; `onStarted` lets the list drop its selection. */
export function useTrial(Dialog: ComponentType<DialogProps>, tenantCode: string, onStarted: () => void): Trial {
  const [asked, setAsked] = useState<Asked | null>(null);
  return {
    ask: (selection, queueIds = queuesOf(selection)) => setAsked({ selection, queueIds }),
    dialog: asked && (
      <Suspense fallback={null}>
        <Dialog tenantCode={tenantCode} {...asked} onStarted={onStarted} onClose={() => setAsked(null)} />
      </Suspense>
    ),
  };
}

/** The queues that the selection's filter names. */
function queuesOf(selection: JobSelection): number[] {
  return "filter" in selection ? [selection.filter.queueId ?? []].flat() : [];
}
