import { useRouter } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { useText } from "../i18n/i18n.tsx";
import { languageNames } from "../i18n/language-names.ts";
import { Logo } from "../layouts/logo.tsx";
import { chooseLanguage, locale, locales } from "../settings.ts";
import { SelectField } from "../ui/field.tsx";

/** Around every screen on the way in: nobody is signed in, so there is no menu, only the language to choose. */
export function EntranceFrame({ title, children }: { title: string; children: ReactNode }) {
  const t = useText();
  const { latestLocation } = useRouter();
  const [message] = useState(latestLocation.state.message);
  return (
    <div className="grid min-h-dvh grid-rows-[1fr_auto] bg-[radial-gradient(circle_at_20%_10%,var(--primary-soft),transparent_60%)] p-4">
      <main className="m-auto w-full max-w-sm rounded-card bg-paper p-6 shadow-[0_10px_40px_#0000001f] sm:p-8">
        <Logo />
        <h1 className="mt-6 mb-5 text-xl font-semibold">{title}</h1>
        {message && (
          <p role="status" className="mb-4 rounded-card bg-ok-soft px-3 py-2 text-ok">
            {t(message)}
          </p>
        )}
        {children}
      </main>
      <LanguageField />
    </div>
  );
}

/** The browser's own list, as the switcher of the header weighs more than all else on this page. */
function LanguageField() {
  const t = useText();
  return (
    <SelectField
      label={t("header.language")}
      value={locale.use()}
      options={locales.map((one) => ({ value: one, label: languageNames[one] }))}
      onChange={(value) => chooseLanguage(locales.find((one) => one === value) ?? locale.get())}
      className="w-40 justify-self-center"
    />
  );
}
