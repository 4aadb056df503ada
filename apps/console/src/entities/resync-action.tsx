import { RefreshCw } from "lucide-react";
import { Suspense, useState } from "react";
import { lazyPart } from "../lazy-screen.ts";
import { useText } from "../i18n/i18n.tsx";
import { useRoleReason } from "../session/role-texts.ts";
import { Button } from "../ui/button.tsx";
import { isNothing, type Selection } from "../ui/selection.ts";
import { isFiltered, type EntitySearch } from "./search.ts";

const ResyncDialog = lazyPart(() => import("./resync-dialog.tsx"));

type ResyncActionProps = { tenantCode: string; search: EntitySearch; selection: Selection; onDone: () => void };

/** Sends the chosen objects, or all that the list is of, to a target anew. */
export function ResyncAction({ tenantCode, search, selection, onDone }: ResyncActionProps) {
  const t = useText();
  const disabledReason = useRoleReason("operate");
  const [isOpen, setIsOpen] = useState(false);
  const isAll = isNothing(selection);
  const title = t(isAll ? (isFiltered(search) ? "entities.resyncMatching" : "entities.resyncType") : "entities.resyncSelected");
  return (
    <>
      <Button look={isAll ? "plain" : "primary"} disabledReason={disabledReason} onClick={() => setIsOpen(true)}>
        <RefreshCw aria-hidden className="size-4" />
        {title}
      </Button>
      <Suspense fallback={null}>
        {isOpen && (
          <ResyncDialog
            {...{ tenantCode, search, selection, title }}
            onClose={() => setIsOpen(false)}
            onStarted={() => {
              setIsOpen(false);
              onDone();
            }}
          />
        )}
      </Suspense>
    </>
  );
}
