import { useEffect, useRef } from "react";
import { useText } from "./i18n/i18n.tsx";
import { Button } from "./ui/button.tsx";
import { CopyButton } from "./ui/copy-button.tsx";
import { control } from "./ui/field.tsx";

/** A secret that is shown this once, to be taken along. */
export function SecretOnce({ label, text, onClose }: { label: string; text: string; onClose: () => void }) {
  const t = useText();
  const secret = useRef<HTMLInputElement>(null);
  // The form that asked for it is gone, and gives the focus to what stands behind once this is here.
  useEffect(() => {
    const frame = requestAnimationFrame(() => secret.current?.focus());
    return () => cancelAnimationFrame(frame);
  }, []);
  return (
    <div className="mt-4 grid gap-4">
      <label className="grid gap-1">
        <span className="text-xs text-muted">{label}</span>
        <span className="flex items-center gap-2">
          <input
            ref={secret}
            readOnly
            dir="ltr"
            value={text}
            className={`${control} font-mono text-xs`}
            onFocus={(event) => event.target.select()}
          />
          <CopyButton text={text} />
        </span>
      </label>
      <Button look="primary" className="justify-self-end" onClick={onClose}>
        {t("action.close")}
      </Button>
    </div>
  );
}
