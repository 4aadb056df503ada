import { Link } from "@tanstack/react-router";
import { useText } from "../i18n/i18n.tsx";
import { footerType, isFooterShown } from "../settings.ts";
import { buttonClass } from "../ui/button.tsx";
import { useInstallation } from "./environment.tsx";

const year = new Date().getFullYear();

/** The line under the screen: after its end, or always in sight. Only a demo has something to sell. */
export function Footer({ width }: { width: string }) {
  const t = useText();
  const isDemo = useInstallation()?.isDemo ?? false;
  const isShown = isFooterShown.use();
  const isFixed = footerType.use() === "fixed";
  if (!isShown) return null;
  return (
    <footer data-ground="paper" className={`shrink-0 border-t border-line ${isFixed ? "sticky bottom-(--sticky-bottom) z-10" : ""}`}>
      <div className={`flex min-h-12 flex-wrap items-center justify-between gap-x-4 gap-y-1 px-3 py-1.5 sm:px-5 ${width}`}>
        <p dir="ltr" className="text-xs text-muted">
          © {year} Crossdock
        </p>
        {isDemo && (
          <Link to="/error-pages/coming-soon" className={buttonClass("primary")}>
            {t("footer.buyNow")}
          </Link>
        )}
      </div>
    </footer>
  );
}
