import { Link } from "@tanstack/react-router";
import { useText } from "../i18n/i18n.tsx";
import { buttonClass } from "../ui/button.tsx";
import { ErrorPage } from "./error-page.tsx";
import { ServerErrorPicture } from "./pictures.tsx";

export function Error500Page() {
  const t = useText();
  return (
    <ErrorPage picture={<ServerErrorPicture />} heading={t("error.500.text")}>
      <Link to="/" className={buttonClass("primary", "mt-2")}>
        {t("error.404.home")}
      </Link>
    </ErrorPage>
  );
}
