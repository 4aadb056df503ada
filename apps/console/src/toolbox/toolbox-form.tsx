import type { ReactNode } from "react";
import { useText } from "../i18n/i18n.tsx";
import { Button } from "../ui/button.tsx";

/** The fields of an operation; Enter does what its first button does. */
export function ToolboxForm({ onSubmit, children }: { onSubmit: () => void; children: ReactNode }) {
  return (
    <form
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
    </form>
  );
}

type DryRunFirstProps = { action: string; isBusy: boolean; disabledReason: string | null; onRun: () => void };

/** Tried out by sending the form, done by the button beside it. */
export function DryRunFirst({ action, isBusy, disabledReason, onRun }: DryRunFirstProps) {
  const t = useText();
  return (
    <div className="flex flex-wrap gap-2">
      <Button type="submit" isBusy={isBusy} disabledReason={disabledReason}>
        {t("toolbox.dryRun")}
      </Button>
      <Button look="primary" isBusy={isBusy} disabledReason={disabledReason} onClick={onRun}>
        {action}
      </Button>
    </div>
  );
}
