import { Tabs as Base } from "@base-ui/react/tabs";
import type { ReactNode } from "react";

type TabsProps<Value extends string> = {
  label: string;
  value: Value;
  onChange: (value: Value) => void;
  tabs: readonly { value: Value; label: string; content: ReactNode }[];
};

/** Views of one thing, of which one is shown. Tabs that don't fit in one row stand in a second one. On a card the views keep distances of their own. */
export function Tabs<Value extends string>({ label, value, onChange, tabs }: TabsProps<Value>) {
  return (
    <Base.Root value={value} onValueChange={(next: Value) => onChange(next)}>
      <Base.List aria-label={label} className="flex flex-wrap inset-shadow-[0_-1px_var(--line)]">
        {tabs.map((tab) => (
          <Base.Tab
            key={tab.value}
            value={tab.value}
            className="shrink-0 border-b-2 border-transparent px-4 py-2.5 font-medium text-muted outline-offset-[-3px] hover:text-ink data-[active]:border-primary-ink data-[active]:text-primary-ink"
          >
            {tab.label}
          </Base.Tab>
        ))}
      </Base.List>
      {tabs.map((tab) => (
        <Base.Panel key={tab.value} value={tab.value} className="pt-4 in-[section]:pt-0">
          {tab.content}
        </Base.Panel>
      ))}
    </Base.Root>
  );
}
