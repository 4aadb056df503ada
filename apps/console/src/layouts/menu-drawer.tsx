import { Menu } from "lucide-react";
import { Suspense, useRef, useState } from "react";
import { ahead, lazyPart } from "../lazy-screen.ts";
import { useText } from "../i18n/i18n.tsx";
import { IconButton } from "../ui/button.tsx";

const loadPanel = () => import("./menu-drawer-panel.tsx");
const prepare = ahead(loadPanel);
const MenuDrawerPanel = lazyPart(loadPanel);

/** The hamburger and what it opens, which is fetched when somebody reaches for it. */
export function MenuDrawer() {
  const t = useText();
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <IconButton
        ref={button}
        label={t("header.openMenu")}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onPointerEnter={prepare}
        onFocus={prepare}
        onClick={() => setIsOpen(true)}
      >
        <Menu aria-hidden className="size-5" />
      </IconButton>
      {isOpen && (
        <Suspense>
          <MenuDrawerPanel opener={button} onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
