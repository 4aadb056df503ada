import { useIntl } from "react-intl";
import { allOf } from "../all-of.ts";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import { entityTypeLabels } from "../entity-types.ts";
import { Checkbox, RadioGroup } from "../ui/choice.tsx";
import { NumberField } from "../ui/number-field.tsx";
import type { EntityType, IntegrationPoint } from "@crossdock/contract";
import type { Draft, Rival } from "./draft.ts";

type FieldsProps = {
  draft: Draft;
  onChange: (change: Partial<Draft>) => void;
  entityTypes: readonly EntityType[];
  /** Those that write what this one writes, and are told what it brings in. */
  rivals: readonly Rival[];
  isDisabled: boolean;
};

const directionTexts = {
  source: "configuration.direction.source",
  target: "configuration.direction.target",
  both: "configuration.direction.both",
} as const satisfies Record<string, TextKey>;
const modeTexts: Record<IntegrationPoint["deliveryMode"], TextKey> = { push: "configuration.mode.push", pull: "configuration.mode.pull" };
const modes = allOf<IntegrationPoint["deliveryMode"]>()(["push", "pull"]);

export function directionText({ sourceTypes, targetTypes }: IntegrationPoint): TextKey {
  return directionTexts[sourceTypes.length === 0 ? "target" : targetTypes.length === 0 ? "source" : "both"];
}

/** What moves between the system and us, and how hard we try where we deliver. */
export function DeliveryFields({ draft, onChange, entityTypes, rivals, isDisabled }: FieldsProps) {
  const t = useText();
  const { formatList } = useIntl();
  const { retry } = draft;
  const isTarget = draft.targetTypes.length > 0;
  const types = (side: "source" | "target") => (
    <TypeChoice
      label={t(directionTexts[side])}
      offered={entityTypes}
      chosen={draft[`${side}Types`]}
      onChange={(chosen) => onChange({ [`${side}Types`]: chosen })}
      isDisabled={isDisabled}
    />
  );
  return (
    <div className="grid gap-5">
      {entityTypes.length === 0 ? (
        <p className="text-muted">{t("configuration.connectorFirst")}</p>
      ) : (
        <>
          {types("source")}
          {types("target")}
        </>
      )}
      {rivals.map(({ id, name, types: shared }) => (
        <p key={id} role="status" className="text-warn">
          {t("configuration.rival", { name, types: formatList(shared.map((type) => t(entityTypeLabels[type]))) })}
        </p>
      ))}
      {isTarget && (
        <RadioGroup
          label={t("configuration.mode")}
          value={draft.deliveryMode}
          onChange={(deliveryMode) => onChange({ deliveryMode })}
          options={modes.map((value) => ({ value, label: t(modeTexts[value]) }))}
          isDisabled={isDisabled}
        />
      )}
      {isTarget && (
        <div className="grid grid-cols-1 gap-4 sm:grid-cols-3">
          <NumberField
            label={t("configuration.maxAttempts")}
            value={retry.maxAttempts}
            min={1}
            max={100}
            isDisabled={isDisabled}
            onChange={(maxAttempts) => onChange({ retry: { ...retry, maxAttempts } })}
          />
          <NumberField
            label={t("configuration.baseDelay")}
            value={retry.baseDelayMs / 1000}
            min={0.1}
            max={3600}
            isDisabled={isDisabled}
            onChange={(seconds) => onChange({ retry: { ...retry, baseDelayMs: Math.round(seconds * 1000) } })}
          />
          <NumberField
            label={t("configuration.maxDelay")}
            value={retry.maxDelayMs / 1000}
            min={0.1}
            max={86_400}
            isDisabled={isDisabled}
            onChange={(seconds) => onChange({ retry: { ...retry, maxDelayMs: Math.round(seconds * 1000) } })}
          />
          <NumberField
            label={t("configuration.rate")}
            value={draft.ratePerSecond}
            min={0.01}
            max={10_000}
            isDisabled={isDisabled}
            empty={{ means: t("field.noLimit"), onEmpty: () => onChange({ ratePerSecond: null }) }}
            onChange={(ratePerSecond) => onChange({ ratePerSecond })}
          />
          <NumberField
            label={t("configuration.concurrency")}
            value={draft.concurrency}
            min={1}
            max={64}
            isDisabled={isDisabled}
            onChange={(concurrency) => onChange({ concurrency })}
          />
        </div>
      )}
    </div>
  );
}

type ChoiceProps = {
  label: string;
  offered: readonly EntityType[];
  chosen: EntityType[];
  onChange: (chosen: EntityType[]) => void;
  isDisabled: boolean;
};

function TypeChoice({ label, offered, chosen, onChange, isDisabled }: ChoiceProps) {
  const t = useText();
  return (
    <fieldset disabled={isDisabled}>
      <legend className="mb-1 text-xs text-muted">{label}</legend>
      <div className="flex flex-wrap gap-x-6 gap-y-2">
        {offered.map((type) => (
          <Checkbox
            key={type}
            label={t(entityTypeLabels[type])}
            isOn={chosen.includes(type)}
            isDisabled={isDisabled}
            onChange={(isOn) => onChange(isOn ? [...chosen, type] : chosen.filter((one) => one !== type))}
          />
        ))}
      </div>
    </fieldset>
  );
}
