import { CloudOff, RefreshCw, Sparkles, WifiOff, type LucideIcon } from "lucide-react";
import { useEffect, useLayoutEffect, useRef, useState, type ReactNode } from "react";
import { createPortal } from "react-dom";
import { lookNow, reload, useIsLive, useStanding } from "./connection.ts";
import { useText } from "../i18n/i18n.tsx";
import { putOff, useNewVersion } from "./new-version.ts";

/** Shorter interruptions of the live updates are not worth a word. */
const patienceMs = 4000;

/** A calm line at the bottom while something about the connection is not as usual, or a new version waits. */
export function StatusStrip() {
  const t = useText();
  const standing = useStanding();
  const isLive = useIsLive();
  const newVersion = useNewVersion();
  const isMissingNews = useLasting(!isLive && standing === "connected", patienceMs);

  const tryNow = <Action label={t("action.tryAgain")} onClick={lookNow} />;
  if (standing === "offline") return <Strip icon={WifiOff} text={t("connection.offline")} />;
  if (standing === "unreachable") return <Strip icon={CloudOff} text={t("connection.unreachable")} actions={tryNow} />;
  if (newVersion === "offered") {
    return (
      <Strip
        icon={Sparkles}
        text={t("newVersion.title")}
        actions={
          <>
            <Action label={t("newVersion.reload")} onClick={() => void reload()} />
            <Action label={t("newVersion.later")} onClick={putOff} />
          </>
        }
      />
    );
  }
  if (isMissingNews) return <Strip icon={RefreshCw} text={t("connection.notLive")} />;
  return <Strip />;
}

type StripProps = { icon?: LucideIcon; text?: string; actions?: ReactNode };

/** Above every dialog. Always in the page, since screen readers announce only what changes in a region that they know. Its height is told to what stands at the bottom. */
function Strip({ icon: Icon, text, actions }: StripProps) {
  const strip = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    document.documentElement.style.setProperty("--status-height", `${strip.current?.offsetHeight ?? 0}px`);
  });
  return createPortal(
    <div ref={strip} className="fixed inset-x-0 bottom-0 z-50">
      <div role="status" className={text ? "animate-late border-t border-line bg-paper text-ink" : ""}>
        {text && (
          <div className="flex flex-wrap items-center justify-center gap-x-1.5 px-3 py-1.5">
            <p className="flex items-center gap-3">
              {Icon && <Icon aria-hidden className="size-4 shrink-0 text-primary-ink" />}
              {text}
            </p>
            {actions}
          </div>
        )}
      </div>
    </div>,
    document.body,
  );
}

function Action({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <button type="button" onClick={onClick} className="min-h-7 rounded-button px-2 font-semibold text-primary-ink hover:bg-hover">
      {label}
    </button>
  );
}

/** True once `isOn` has been so for a while. */
function useLasting(isOn: boolean, ms: number): boolean {
  const [isLasting, setIsLasting] = useState(false);
  useEffect(() => {
    if (!isOn) return undefined;
    const timer = setTimeout(() => setIsLasting(true), ms);
    return () => {
      clearTimeout(timer);
      setIsLasting(false);
    };
  }, [isOn, ms]);
  return isOn && isLasting;
}
