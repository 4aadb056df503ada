import type { RevealSource } from "@crossdock/contract";
import { Suspense, useState, type ComponentProps } from "react";
import { lazyPart } from "../lazy-screen.ts";
import { useIsPermitted } from "../session/session.ts";
import { JsonViewer } from "../ui/json/json-viewer.tsx";

const RevealDialog = lazyPart(() => import("./reveal-dialog.tsx"));

type RevealableJsonProps = Omit<ComponentProps<typeof JsonViewer>, "onReveal"> & { tenantCode: string; source: RevealSource };

/** A text with masked values, each of which can be revealed by whoever may. */
export function RevealableJson({ tenantCode, source, ...viewer }: RevealableJsonProps) {
  const mayReveal = useIsPermitted("reveal");
  const [pointer, setPointer] = useState<string | null>(null);
  return (
    <>
      <JsonViewer {...viewer} onReveal={mayReveal ? setPointer : undefined} />
      <Suspense fallback={null}>
        {pointer !== null && <RevealDialog tenantCode={tenantCode} source={source} pointer={pointer} onClose={() => setPointer(null)} />}
      </Suspense>
    </>
  );
}
