import { useId, useState, type FormEvent } from "react";
import { useIntl } from "react-intl";
import { BannerView, textIn } from "../header/banner.tsx";
import { languageNames } from "../i18n/language-names.ts";
import { useText } from "../i18n/i18n.tsx";
import { locale, locales, type Locale } from "../settings.ts";
import { Checkbox } from "../ui/choice.tsx";
import { control, Labelled, SelectField, TextField } from "../ui/field.tsx";
import { FormFooter } from "../ui/form-footer.tsx";
import type { NewAnnouncement } from "./operations.ts";

type FormProps = { isBusy: boolean; refusal: string | undefined; onPublish: (body: NewAnnouncement) => void; onCancel: () => void };

const textMax = 300;
const isLink = (link: string): boolean => /^(https:\/\/|\/([^/]|$))/.test(link);

/** For so many hours, or: until it is ended, until a time of one's own. */
const hours = ["1", "8", "24", "168"];
const [untilEnded, ownTime] = ["", "time"];

export function AnnouncementForm({ isBusy, refusal, onPublish, onCancel }: FormProps) {
  const t = useText();
  const id = useId();
  const language = locale.use();
  const [text, setText] = useState("");
  const [translations, setTranslations] = useState<Partial<Record<Locale, string>>>({});
  const [link, setLink] = useState("");
  const [isDismissible, setIsDismissible] = useState(true);
  const [until, setUntil] = useState(untilEnded);
  const [time, setTime] = useState("");
  const [openedAt] = useState(() => Date.now());
  const given = {
    text: text.trim(),
    translations: Object.fromEntries(Object.entries(translations).filter(([, words]) => words.trim() !== "")),
    link: link.trim() === "" ? null : link.trim(),
    isDismissible,
  };
  const missing = given.text === "" ? t("announce.textMissing") : null;
  const wrongLink = given.link !== null && !isLink(given.link) ? t("announce.linkWrong") : null;
  const noTime = until === ownTime && !(Date.parse(time) > openedAt) ? t("announce.timeWrong") : null;

  function publish(event: FormEvent): void {
    event.preventDefault();
    if (!isBusy && (missing ?? wrongLink ?? noTime) === null) onPublish({ ...given, endsAt: endOf(until, time) });
  }
  return (
    <form noValidate onSubmit={publish} className="mt-5 grid gap-4">
      <h3 className="font-medium">{t("announce.new")}</h3>
      <Labelled label={t("announce.text")}>
        <textarea
          dir="auto"
          rows={2}
          maxLength={textMax}
          value={text}
          onChange={(event) => setText(event.target.value)}
          className={`${control} py-2`}
        />
      </Labelled>
      <div className="grid gap-4 sm:grid-cols-2">
        <Until until={until} onUntil={setUntil} time={time} onTime={setTime} error={time === "" ? null : noTime} />
        <TextField
          id={`${id}-link`}
          label={t("announce.link")}
          dir="ltr"
          maxLength={2000}
          value={link}
          error={wrongLink ?? undefined}
          onChange={(event) => setLink(event.target.value)}
        />
      </div>
      <Checkbox label={t("announce.dismissible")} isOn={isDismissible} onChange={setIsDismissible} />
      <details>
        <summary className="w-fit cursor-pointer text-primary-ink">{t("announce.translations")}</summary>
        <div className="mt-3 grid gap-4 sm:grid-cols-2">
          {locales.map((code) => (
            <TextField
              key={code}
              id={`${id}-${code}`}
              label={languageNames[code]}
              lang={code}
              dir="auto"
              maxLength={textMax}
              value={translations[code] ?? ""}
              onChange={(event) => setTranslations({ ...translations, [code]: event.target.value })}
            />
          ))}
        </div>
      </details>
      <div className="grid gap-1">
        <span className="text-xs text-muted">{t("announce.preview")}</span>
        <div className="overflow-hidden rounded-card border border-line">
          <BannerView
            text={textIn(given, language) || t("announce.text")}
            link={wrongLink === null ? given.link : null}
            {...(isDismissible && { onDismiss: null })}
          />
        </div>
      </div>
      <FormFooter
        action={t("announce.publish")}
        isBusy={isBusy}
        disabledReason={missing ?? wrongLink ?? noTime}
        refusal={refusal}
        onCancel={onCancel}
      />
    </form>
  );
}

function endOf(until: string, time: string): string | null {
  if (until === untilEnded) return null;
  return new Date(until === ownTime ? Date.parse(time) : Date.now() + Number(until) * 3_600_000).toISOString();
}

type UntilProps = {
  until: string;
  onUntil: (until: string) => void;
  time: string;
  onTime: (time: string) => void;
  error: string | null;
};

function Until({ until, onUntil, time, onTime, error }: UntilProps) {
  const t = useText();
  const id = useId();
  const { formatNumber } = useIntl();
  const inUnit = (value: number, unit: "hour" | "day") => formatNumber(value, { style: "unit", unit, unitDisplay: "long" });
  const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <div className="grid content-start gap-3">
      <SelectField
        label={t("announce.until")}
        value={until}
        onChange={onUntil}
        options={[
          { value: untilEnded, label: t("announce.untilEnded") },
          ...hours.map((value) => ({
            value,
            label: Number(value) < 24 ? inUnit(Number(value), "hour") : inUnit(Number(value) / 24, "day"),
          })),
          { value: ownTime, label: t("announce.ownTime") },
        ]}
      />
      {until === ownTime && (
        <TextField
          id={`${id}-time`}
          type="datetime-local"
          label={`${t("announce.ownTime")} (${zone})`}
          value={time}
          error={error ?? undefined}
          onChange={(event) => onTime(event.target.value)}
        />
      )}
    </div>
  );
}
