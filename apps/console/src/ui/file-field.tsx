import { useState } from "react";
import { useText } from "../i18n/i18n.tsx";

type FileFieldProps = { label: string; accept?: string; onChoose: (file: File) => void };

/** A file, asked for in the reader's language: the browser's own button speaks the browser's. Files may be dropped on it, too. */
export function FileField({ label, accept, onChoose }: FileFieldProps) {
  const t = useText();
  const [name, setName] = useState<string | null>(null);
  return (
    <div className="relative flex min-h-9 items-center gap-3 rounded-button border border-field-line bg-paper pe-3 has-hover:border-ink has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-primary-ink">
      <span aria-hidden className="shrink-0 self-stretch border-e border-field-line px-3.5 py-1.5 font-medium">
        {t("field.chooseFile")}
      </span>
      <bdi className={`min-w-0 flex-1 truncate ${name === null ? "text-muted" : ""}`}>{name ?? t("field.noFile")}</bdi>
      <input
        type="file"
        accept={accept}
        aria-label={name === null ? label : `${label}: ${name}`}
        title={name ?? label}
        // Else nobody could choose the same file again after mending it.
        onClick={(event) => (event.currentTarget.value = "")}
        onChange={({ target: { files } }) => {
          const [file] = files ?? [];
          if (!file) return;
          setName(file.name);
          onChoose(file);
        }}
        className="absolute inset-0 size-full cursor-pointer opacity-0"
      />
    </div>
  );
}
