import { useText } from "../i18n/i18n.tsx";
import { CopyButton } from "../ui/copy-button.tsx";

/** Leads to the server's log. */
export function RequestId({ id }: { id: string }) {
  const t = useText();
  return (
    <p className="flex max-w-full flex-wrap items-center justify-center gap-x-2 text-muted">
      {t("error.requestId")} <code className="font-mono break-all text-ink select-all">{id}</code>
      <CopyButton text={id} label={t("error.copyRequestId")} />
    </p>
  );
}
