import { Check, Copy } from "lucide-react";
import { useState } from "react";
import { useText } from "../i18n/i18n.tsx";
import { IconButton } from "../ui/button.tsx";

/** Leads to the server's log. */
export function RequestId({ id }: { id: string }) {
  const t = useText();
  const [isCopied, setIsCopied] = useState(false);
  const copy = () => void navigator.clipboard.writeText(id).then(() => setIsCopied(true));
  return (
    <p className="flex max-w-full flex-wrap items-center justify-center gap-x-2 text-muted">
      {t("error.requestId")} <code className="font-mono break-all text-ink select-all">{id}</code>
      <IconButton label={isCopied ? t("action.copied") : t("error.copyRequestId")} onClick={copy}>
        {isCopied ? <Check aria-hidden className="size-4 text-ok" /> : <Copy aria-hidden className="size-4" />}
      </IconButton>
    </p>
  );
}
