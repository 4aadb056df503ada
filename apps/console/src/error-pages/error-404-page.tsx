import { Link } from "@tanstack/react-router";
import { useEffect } from "react";
import { useText } from "../i18n/i18n.tsx";
import { buttonClass } from "../ui/button.tsx";

export function Error404Page() {
  const t = useText();
  useEffect(() => {
    document.title = "404 · Crossdock";
  }, []);
  return (
    <div className="grid min-h-[60dvh] place-content-center justify-items-center gap-3 p-6 text-center">
      <p aria-hidden className="text-8xl font-semibold text-primary-ink">
        404
      </p>
      <h1 className="max-w-xl text-xl font-medium">{t("error.404.text")}</h1>
      <Link to="/" className={buttonClass("primary", "mt-2")}>
        {t("error.404.home")}
      </Link>
    </div>
  );
}
