import { Copy, MoreVertical, Trash2 } from "lucide-react";
import { useState } from "react";
import { Button, IconButton } from "../ui/button.tsx";
import { Checkbox, RadioGroup, Switch } from "../ui/choice.tsx";
import { Chip, type Tone } from "../ui/chip.tsx";
import { ComboboxField } from "../ui/combobox-field.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { SelectField, TextField } from "../ui/field.tsx";
import { FilterField } from "../ui/filter-fields.tsx";
import { Menu } from "../ui/menu.tsx";
import { NumberField } from "../ui/number-field.tsx";
import { Popover } from "../ui/popover.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { CopyableTime } from "../ui/copyable-time.tsx";
import { ExactTime, Time } from "../ui/time.tsx";
import { TimeRangeField, type TimeRange } from "../ui/time-range-field.tsx";
import { Gallery, Specimen } from "./specimen.tsx";

const tones: Tone[] = ["ok", "warn", "bad", "info", "neutral"];
const cities = ["Bergen", "Göteborg", "Helsinki", "København", "Oslo", "Stockholm", "Tallinn", "Umeå"].map((label) => ({
  value: label,
  label,
}));
const aMinuteAgo = new Date(Date.now() - 60_000);

export function ControlGallery() {
  return (
    <Gallery title="Controls">
      <Specimen title="Buttons">
        <Button look="primary">Primary</Button>
        <Button>Quiet</Button>
        <Button look="danger">Danger</Button>
        <Button look="plain">Plain</Button>
        <Button look="primary" isBusy>
          Busy
        </Button>
        <Button disabledReason="Your role may look, but not change anything">Not allowed</Button>
        <IconButton label="Copy">
          <Copy aria-hidden className="size-4" />
        </IconButton>
        <CopyButton text="copied from the kit" />
      </Specimen>
      <Specimen title="Status chip">
        {tones.map((tone) => (
          <Chip key={tone} tone={tone}>
            {tone}
          </Chip>
        ))}
      </Specimen>
      <Specimen title="Time: relative, exact, to copy">
        <Time at={aMinuteAgo} />
        <ExactTime at={aMinuteAgo} />
        <CopyableTime at={aMinuteAgo} />
        <CopyableTime at={aMinuteAgo} isRelative />
      </Specimen>
      <Specimen title="Menu, popover">
        <Menu
          trigger={
            <IconButton label="Actions">
              <MoreVertical aria-hidden className="size-4" />
            </IconButton>
          }
          actions={[
            { label: "Copy", icon: Copy, run: () => undefined },
            { label: "Remove", icon: Trash2, run: () => undefined, isDangerous: true },
          ]}
        />
        <Popover title="A popover" trigger={<Button>Open a popover</Button>}>
          <p>Something small beside its button.</p>
        </Popover>
      </Specimen>
      <Fields />
      <Choices />
    </Gallery>
  );
}

function Fields() {
  const [text, setText] = useState("");
  const [number, setNumber] = useState<number | null>(3);
  const [city, setCity] = useState("");
  const [range, setRange] = useState<TimeRange>({ from: "2026-03-01T08:00:00.000Z", to: "2026-02-01T08:00:00.000Z" });
  return (
    <Specimen title="Fields">
      <div className="grid grid-cols-1 w-full min-w-0 gap-4 sm:grid-cols-2">
        <TextField id="kit-text" label="Text" value={text} onChange={(event) => setText(event.target.value)} />
        <TextField id="kit-wrong" label="Text with a mistake" defaultValue="a@" error="Invalid email format" />
        <FilterField label="Filter" value={text} onChange={setText} isSearch />
        <SelectField label="Select" value={city} onChange={setCity} options={[{ value: "", label: "Any" }, ...cities]} />
        <NumberField label="Number" value={number} onChange={setNumber} min={0} max={10} />
        <NumberField label="Number with a mistake" value={null} onChange={() => undefined} min={0} max={10} error="Must be a number" />
        <ComboboxField label="Combobox" value={city} onChange={setCity} options={cities} placeholder="None" />
      </div>
      <TimeRangeField label="Time range" value={range} onChange={setRange} />
    </Specimen>
  );
}

function Choices() {
  const [isOn, setIsOn] = useState(true);
  const [size, setSize] = useState("small");
  const [tab, setTab] = useState("one");
  return (
    <Specimen title="Choices and tabs">
      <div className="grid w-full gap-4">
        <Checkbox label="Checkbox" isOn={isOn} onChange={setIsOn} />
        <Checkbox label="Checkbox, not allowed" isOn onChange={setIsOn} disabledReason="Only an admin can change this" />
        <span className="flex gap-3">
          <Switch label="Switch" isOn={isOn} onChange={setIsOn} />
          <Switch label="Switch, not allowed" isOn={false} onChange={setIsOn} disabledReason="Only an admin can change this" />
        </span>
        <RadioGroup
          label="Radio group"
          value={size}
          onChange={setSize}
          options={[
            { value: "small", label: "Small", hint: "With a hint below" },
            { value: "large", label: "Large" },
          ]}
        />
        <Tabs
          label="Views"
          value={tab}
          onChange={setTab}
          tabs={[
            { value: "one", label: "One", content: "The first view." },
            { value: "two", label: "Two", content: "The second view." },
            { value: "three", label: "Three", content: "The third view." },
          ]}
        />
      </div>
    </Specimen>
  );
}
