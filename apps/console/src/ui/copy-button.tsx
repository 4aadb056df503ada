import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { useText } from "../i18n/i18n.tsx";
import { IconButton } from "./button.tsx";
import { noticeError } from "./notice.tsx";

const thankMs = 2000;

/** Copies a text, and says so for a moment. */
export function useCopy(): { isCopied: boolean; copy: (text: string) => void } {
  const t = useText();
  /** When the text was copied last; each copy is thanked for anew. */
  const [copiedAt, setCopiedAt] = useState<number | null>(null);
  useEffect(() => {
    if (copiedAt === null) return undefined;
    const timer = setTimeout(() => setCopiedAt(null), thankMs);
    return () => clearTimeout(timer);
  }, [copiedAt]);
  return {
    isCopied: copiedAt !== null,
    copy: (text) =>
      void copyText(text).then(
        () => setCopiedAt(Date.now()),
        () => noticeError(t("notice.notCopied")),
      ),
  };
}

/** Throws where the browser doesn't let it. */
export async function copyText(text: string): Promise<void> {
  // The clipboard is an object of secure contexts (https or localhost); elsewhere there is what it has replaced.
  if ("clipboard" in navigator) return navigator.clipboard.writeText(text);
  let isTaken = false;
  const take = (event: ClipboardEvent): void => {
    event.clipboardData?.setData("text/plain", text);
    event.preventDefault();
    isTaken = true;
  };
  document.addEventListener("copy", take, { capture: true, once: true });
  document.execCommand("copy");
  document.removeEventListener("copy", take, { capture: true });
  if (!isTaken) throw new Error("nothing was copied");
}

export function CopyButton({ text, label, className }: { text: string; label?: string; className?: string }) {
  const t = useText();
  const { isCopied, copy } = useCopy();
  const Icon = isCopied ? Check : Copy;
  return (
    <IconButton
      data-screen-only
      label={isCopied ? t("action.copied") : (label ?? t("action.copy"))}
      className={className ?? ""}
      onClick={() => copy(text)}
    >
      <Icon aria-hidden className="size-4" />
    </IconButton>
  );
}
