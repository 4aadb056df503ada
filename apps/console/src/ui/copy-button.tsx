import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { useText } from "../i18n/i18n.tsx";
import { IconButton } from "./button.tsx";

const thankMs = 2000;

/** Copies a text, and says so for a moment. */
export function useCopy(): { isCopied: boolean; copy: (text: string) => void } {
  /** When the text was copied last; each copy is thanked for anew. */
  const [copiedAt, setCopiedAt] = useState<number | null>(null);
  useEffect(() => {
    if (copiedAt === null) return undefined;
    const timer = setTimeout(() => setCopiedAt(null), thankMs);
    return () => clearTimeout(timer);
  }, [copiedAt]);
  return { isCopied: copiedAt !== null, copy: (text) => void navigator.clipboard.writeText(text).then(() => setCopiedAt(Date.now())) };
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
