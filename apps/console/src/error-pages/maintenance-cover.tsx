import { useEffect, useLayoutEffect, useRef } from "react";
import { createPortal } from "react-dom";
import { lookNow } from "../api/connection.ts";
import { useText } from "../i18n/i18n.tsx";
import { Button } from "../ui/button.tsx";
import { MaintenanceText } from "./maintenance-page.tsx";

/**
 * Stands over the console as long as its server says that it is under maintenance. The browser's own modal dialog lies above every drawer and
 * dialog of the page, keeps the keyboard from them, and gives the focus back at the end.
 */
export default function MaintenanceCover() {
  const t = useText();
  const cover = useRef<HTMLDialogElement>(null);
  // While it still stands in the page, as the browser gives the focus back then only.
  useLayoutEffect(() => {
    const shown = cover.current;
    const title = document.title;
    shown?.showModal();
    return () => {
      document.title = title;
      shown?.close();
    };
  }, []);
  useEffect(() => {
    document.title = `${t("error.maintenance.title")} · Crossdock`;
  }, [t]);
  // Out of the page, which an open dialog hides from screen readers.
  return createPortal(
    <dialog
      ref={cover}
      aria-label={t("error.maintenance.title")}
      // Escape closes neither this page nor what is behind it.
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.preventDefault();
        event.stopPropagation();
      }}
      className="m-0 size-full max-h-none max-w-none bg-page text-ink outline-none open:grid"
    >
      <MaintenanceText>
        <p className="max-w-md text-muted">{t("error.maintenance.kept")}</p>
        <Button look="primary" className="mt-2" onClick={lookNow}>
          {t("error.maintenance.home")}
        </Button>
      </MaintenanceText>
    </dialog>,
    document.body,
  );
}
