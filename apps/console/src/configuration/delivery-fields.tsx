import { allOf } from "../all-of.ts";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import { entityTypeLabels } from "../entity-types.ts";
import { Checkbox, RadioGroup } from "../ui/choice.tsx";
import { NumberField } from "../ui/number-field.tsx";
import type { EntityType, IntegrationPoint } from "@crossdock/contract";
import type { Draft } from "./draft.ts";

type FieldsProps = {
  draft: Draft;
  onChange: (change: Partial<Draft>) => void;
  entityTypes: readonly EntityType[];
  isDisabled: boolean;
};

export const directionTexts: Record<IntegrationPoint["direction"], TextKey> = {
  source: "configuration.direction.source",
  target: "configuration.direction.target",
  both: "configuration.direction.both",
};
const modeTexts: Record<IntegrationPoint["deliveryMode"], TextKey> = { push: "configuration.mode.push", pull: "configuration.mode.pull" };
const directions = allOf<IntegrationPoint["direction"]>()(["source", "target", "both"]);
const modes = allOf<IntegrationPoint["deliveryMode"]>()(["push", "pull"]);

/** What moves between the system and us, and how hard we try where we deliver. */
export function DeliveryFields({ draft, onChange, entityTypes, isDisabled }: FieldsProps) {
  const t = useText();
  const { retry } = draft;
  const isTarget = draft.direction !== "source";
  return (
    <div className="grid gap-5">
      <div className="grid grid-cols-1 gap-5 sm:grid-cols-2">
        <RadioGroup
          label={t("configuration.direction")}
          value={draft.direction}
          onChange={(direction) => onChange({ direction })}
          options={directions.map((value) => ({ value, label: t(directionTexts[value]) }))}
          isDisabled={isDisabled}
        />
        {isTarget && (
          <RadioGroup
            label={t("configuration.mode")}
            value={draft.deliveryMode}
            onChange={(deliveryMode) => onChange({ deliveryMode })}
            options={modes.map((value) => ({ value, label: t(modeTexts[value]) }))}
            isDisabled={isDisabled}
          />
        )}
      </div>
      <fieldset disabled={isDisabled}>
        <legend className="mb-1 text-xs text-muted">{t("configuration.entityTypes")} *</legend>
        <div className="flex flex-wrap gap-x-6 gap-y-2">
          {entityTypes.length === 0 && <p className="text-muted">{t("configuration.connectorFirst")}</p>}
          {entityTypes.map((type) => (
            <Checkbox
              key={type}
              label={t(entityTypeLabels[type])}
              isOn={draft.entityTypes.includes(type)}
              isDisabled={isDisabled}
              onChange={(isOn) =>
                onChange({ entityTypes: isOn ? [...draft.entityTypes, type] : draft.entityTypes.filter((one) => one !== type) })
              }
            />
          ))}
        </div>
      </fieldset>
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
