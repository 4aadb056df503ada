import { useEffect, useRef } from "react";
import { lookNow } from "../connection.ts";
import { useText } from "../i18n/i18n.tsx";
import { Button } from "../ui/button.tsx";
import { MaintenanceText } from "./maintenance-page.tsx";

/** Stands over the console as long as its server says that it is under maintenance. */
export default function MaintenanceCover() {
  const t = useText();
  const cover = useRef<HTMLElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    const title = document.title;
    cover.current?.focus();
    return () => {
      document.title = title;
      // What was being worked on comes back with its focus.
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  useEffect(() => {
    document.title = `${t("error.maintenance.title")} · Crossdock`;
  }, [t]);
  return (
    <main ref={cover} tabIndex={-1} className="fixed inset-0 z-50 grid overflow-y-auto bg-page outline-none">
      <MaintenanceText>
        <p className="max-w-md text-muted">{t("error.maintenance.kept")}</p>
        <Button look="primary" className="mt-2" onClick={lookNow}>
          {t("error.maintenance.home")}
        </Button>
      </MaintenanceText>
    </main>
  );
}
