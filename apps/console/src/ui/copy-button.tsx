import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { useText } from "../i18n/i18n.tsx";
import { IconButton } from "./button.tsx";

const thankMs = 2000;

/** Copies a text, and says so for a moment. */
export function useCopy(): { isCopied: boolean; copy: (text: string) => void } {
  const [copies, setCopies] = useState(0);
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (copies === 0) return undefined;
    setIsCopied(true);
    const timer = setTimeout(() => setIsCopied(false), thankMs);
    return () => clearTimeout(timer);
  }, [copies]);
  return { isCopied, copy: (text) => void navigator.clipboard.writeText(text).then(() => setCopies((count) => count + 1)) };
}

export function CopyButton({ text, label, className }: { text: string; label?: string; className?: string }) {
  const t = useText();
  const { isCopied, copy } = useCopy();
  const Icon = isCopied ? Check : Copy;
  return (
    <IconButton label={isCopied ? t("action.copied") : (label ?? t("action.copy"))} className={className ?? ""} onClick={() => copy(text)}>
      <Icon aria-hidden className="size-4" />
    </IconButton>
  );
}
