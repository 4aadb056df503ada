import { Link } from "@tanstack/react-router";
import { useText } from "../../i18n/i18n.tsx";
import { EntranceFrame } from "../entrance-frame.tsx";
import "../../screens.css";

/** What somebody agrees to who signs up: whoever runs the installation may have more to say, the software has this. */
export function TermsPage() {
  const t = useText();
  const paragraphs = [t("terms.operator"), t("terms.use"), t("terms.kept"), t("terms.removal"), t("terms.warranty")];
  return (
    <EntranceFrame title={t("terms.title")}>
      <div className="grid gap-3">
        {paragraphs.map((paragraph) => (
          <p key={paragraph}>{paragraph}</p>
        ))}
      </div>
      <p className="mt-5 text-center">
        <Link to="/signup" className="text-primary-ink underline">
          {t("signUp.title")}
        </Link>
      </p>
    </EntranceFrame>
  );
}
