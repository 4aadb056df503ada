import type { RevealSource } from "@crossdock/contract";
import { Eye } from "lucide-react";
import { Suspense, useState } from "react";
import { lazyPart } from "../lazy-screen.ts";
import { useText } from "../i18n/i18n.tsx";
import { useIsPermitted } from "../session/session.ts";
import { Button } from "../ui/button.tsx";

const RevealDialog = lazyPart(() => import("./reveal-dialog.tsx"));

type RevealAllProps = { tenantCode: string; source: RevealSource; text: string };

/** Under a text that is no JSON and has masked values: the way to the text as it is, for whoever may. */
export function RevealAll({ tenantCode, source, text }: RevealAllProps) {
  const t = useText();
  const mayReveal = useIsPermitted("reveal");
  const [isOpen, setIsOpen] = useState(false);
  if (!mayReveal || !text.includes("••• ")) return null;
  return (
    <div className="border-t border-line p-3">
      <Button onClick={() => setIsOpen(true)}>
        <Eye aria-hidden className="size-4" />
        {t("reveal.all")}
      </Button>
      <Suspense fallback={null}>
        {isOpen && <RevealDialog tenantCode={tenantCode} source={source} pointer="" onClose={() => setIsOpen(false)} />}
      </Suspense>
    </div>
  );
}
