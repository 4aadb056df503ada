import { Link, useLocation } from "@tanstack/react-router";
import { useText } from "../i18n/i18n.tsx";
import { buttonClass } from "../ui/button.tsx";
import { ErrorPage } from "./error-page.tsx";
import { NotFoundPicture } from "./pictures.tsx";

export function Error404Page() {
  const t = useText();
  const refused = useLocation({ select: ({ state }) => state.refused });
  return (
    <ErrorPage picture={<NotFoundPicture />} heading={t("error.404.text")}>
      {refused && <p className="max-w-md text-muted">{t("error.404.refused", { screen: t(refused) })}</p>}
      <Link to="/" className={buttonClass("primary", "mt-2")}>
        {t("error.404.home")}
      </Link>
    </ErrorPage>
  );
}
