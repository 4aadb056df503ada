import { Switch } from "../ui/choice.tsx";

/** A switch with its name beside it, as wide as the panel. */
export function SettingSwitch({ label, isOn, onChange }: { label: string; isOn: boolean; onChange: (isOn: boolean) => void }) {
  return (
    <div className="flex items-center justify-between gap-4">
      <span aria-hidden className="font-semibold">
        {label}
      </span>
      <Switch label={label} isOn={isOn} onChange={onChange} />
    </div>
  );
}
