import { useId, useState, type FormEvent, type Ref } from "react";
import { BannerView, textIn } from "../header/banner.tsx";
import { languageNames } from "../i18n/language-names.ts";
import { useText } from "../i18n/i18n.tsx";
import { locale, locales, type Locale } from "../settings.ts";
import { Checkbox } from "../ui/choice.tsx";
import { control, Labelled, TextField } from "../ui/field.tsx";
import { FormFooter } from "../ui/form-footer.tsx";
import type { NewAnnouncement } from "./operations.ts";
import { faultOf, fromNowOn, PeriodFields, timesOf } from "./period-fields.tsx";

type FormProps = {
  textField: Ref<HTMLTextAreaElement>;
  isBusy: boolean;
  refusal: string | undefined;
  onPublish: (body: NewAnnouncement) => void;
};

const textMax = 300;
const isLink = (link: string): boolean => /^(https:\/\/|\/(?![/\\]))[^\s\\]*$/.test(link);

export function AnnouncementForm({ textField, isBusy, refusal, onPublish }: FormProps) {
  const t = useText();
  const id = useId();
  const language = locale.use();
  const [text, setText] = useState("");
  const [translations, setTranslations] = useState<Partial<Record<Locale, string>>>({});
  const [link, setLink] = useState("");
  const [isDismissible, setIsDismissible] = useState(true);
  const [period, setPeriod] = useState(fromNowOn);
  const [openedAt] = useState(() => Date.now());
  const given = {
    text: text.trim(),
    translations: Object.fromEntries(Object.entries(translations).filter(([, words]) => words.trim() !== "")),
    link: link.trim() === "" ? null : link.trim(),
    isDismissible,
  };
  const missing = given.text === "" ? t("announce.textMissing") : null;
  const wrongLink = given.link !== null && !isLink(given.link) ? t("announce.linkWrong") : null;
  const wrong = faultOf(period, openedAt);
  const wrongPeriod = wrong && t(wrong.text);

  function publish(event: FormEvent): void {
    event.preventDefault();
    if (!isBusy && (missing ?? wrongLink ?? wrongPeriod) === null) onPublish({ ...given, ...timesOf(period) });
  }
  return (
    <form noValidate onSubmit={publish} className="mt-5 grid gap-4">
      <h3 className="font-medium">{t("announce.new")}</h3>
      <Labelled label={t("announce.text")}>
        <textarea
          ref={textField}
          dir="auto"
          rows={2}
          maxLength={textMax}
          value={text}
          onChange={(event) => setText(event.target.value)}
          className={`${control} py-2`}
        />
      </Labelled>
      <PeriodFields period={period} onChange={setPeriod} fault={wrong} />
      <TextField
        id={`${id}-link`}
        label={t("announce.link")}
        dir="ltr"
        maxLength={2000}
        value={link}
        error={wrongLink ?? undefined}
        onChange={(event) => setLink(event.target.value)}
      />
      <Checkbox label={t("announce.dismissible")} isOn={isDismissible} onChange={setIsDismissible} />
      <details>
        <summary className="w-fit cursor-pointer text-primary-ink">{t("announce.translations")}</summary>
        <div className="mt-3 grid grid-cols-1 gap-4 sm:grid-cols-2">
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
      <FormFooter action={t("announce.publish")} isBusy={isBusy} disabledReason={missing ?? wrongLink ?? wrongPeriod} refusal={refusal} />
    </form>
  );
}
