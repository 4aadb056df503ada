import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useText } from "../i18n/i18n.tsx";
import { buttonClass } from "../ui/button.tsx";
import { ErrorPage } from "./error-page.tsx";
import { MaintenancePicture } from "./pictures.tsx";

export function MaintenancePage() {
  const t = useText();
  return (
    <MaintenanceText>
      <Link to="/" className={buttonClass("primary", "mt-2")}>
        {t("error.maintenance.home")}
      </Link>
    </MaintenanceText>
  );
}

export function MaintenanceText({ children }: { children: ReactNode }) {
  const t = useText();
  return (
    <ErrorPage picture={<MaintenancePicture />} heading={t("error.maintenance.title")}>
      <p className="text-muted">{t("error.maintenance.text")}</p>
      {children}
    </ErrorPage>
  );
}
