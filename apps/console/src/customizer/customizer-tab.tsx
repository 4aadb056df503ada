import { Settings } from "lucide-react";
import { Suspense } from "react";
import { ahead, lazyPart } from "../lazy-screen.ts";
import { useText } from "../i18n/i18n.tsx";

const loadCustomizer = () => import("./customizer.tsx");
const prepare = ahead(loadCustomizer);
const Customizer = lazyPart(async () => ({ default: (await loadCustomizer()).Customizer }));

/**
 * A gear at the screen's edge; the panel behind it is fetched when somebody reaches for it. On a phone, where content reaches to the edge, it
 * stands at the bottom, and the content ends above it.
 */
export function CustomizerTab({ isOpen, onOpenChange }: { isOpen: boolean; onOpenChange: (isOpen: boolean) => void }) {
  const t = useText();
  return (
    <>
      {/* Before the gear: that is where the keyboard goes on behind the panel, and from there to the page. */}
      {isOpen && (
        <Suspense>
          <Customizer onClose={() => onOpenChange(false)} />
        </Suspense>
      )}
      <button
        type="button"
        data-screen-only
        aria-label={t("customizer.title")}
        title={t("customizer.title")}
        aria-expanded={isOpen}
        aria-haspopup="dialog"
        onPointerEnter={prepare}
        onFocus={prepare}
        onClick={() => onOpenChange(!isOpen)}
        className="fixed end-0 top-[45dvh] z-20 max-sm:top-auto max-sm:bottom-4 grid h-11 w-6 place-items-center rounded-s-lg border border-e-0 border-transparent bg-primary text-on-primary shadow-md sm:w-7 hover:bg-primary-hover"
      >
        <Settings aria-hidden className="size-4.5" />
      </button>
    </>
  );
}
