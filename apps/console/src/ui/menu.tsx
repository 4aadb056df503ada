import { Menu as Base } from "@base-ui/react/menu";
import type { LucideIcon } from "lucide-react";
import type { ReactElement } from "react";

type MenuAction = { label: string; icon?: LucideIcon; run: () => void; isDangerous?: boolean };

/** Actions behind a button. `trigger` is the button. */
export function Menu({ trigger, actions }: { trigger: ReactElement; actions: readonly MenuAction[] }) {
  return (
    <Base.Root>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner align="end" sideOffset={6} className="z-40">
          <Base.Popup className="max-h-[min(24rem,var(--available-height))] min-w-44 animate-appear overflow-y-auto rounded-card border border-line bg-paper py-1 text-ink shadow-xl outline-none">
            {actions.map(({ label, icon: Icon, run, isDangerous = false }, index) => (
              <Base.Item
                key={index}
                onClick={run}
                className={`flex min-h-9 cursor-pointer items-center gap-2.5 px-3 py-1.5 outline-none select-none data-[highlighted]:bg-hover data-[highlighted]:outline-2 data-[highlighted]:-outline-offset-2 data-[highlighted]:outline-primary-ink ${isDangerous ? "text-bad" : ""}`}
              >
                {Icon && <Icon aria-hidden className="size-4" />}
                {label}
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
