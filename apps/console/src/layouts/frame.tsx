import { Outlet } from "@tanstack/react-router";
import { focusClicked } from "../focus-clicked.ts";
import { useText } from "../i18n/i18n.tsx";
import { usePalette } from "../header/use-palette.tsx";
import { isMenuCollapsed, layoutType } from "../settings.ts";
import { Scroller } from "../ui/scroller.tsx";
import { tellWhole } from "../ui/tell-whole.ts";
import { Footer } from "./footer.tsx";
import { BannerSlot, Header } from "./header.tsx";
import { useIsInset, useLayout, widthOf, type Layout } from "./layouts.ts";
import { Logo, SidebarLogo } from "./logo.tsx";
import { MenuDrawer } from "./menu-drawer.tsx";
import { MenuPanel } from "./menu-panel.tsx";
import { MenuStrip } from "./menu-strip.tsx";
import { MenuToggle } from "./menu-toggle.tsx";
import { NavigationProgress } from "./navigation-progress.tsx";
import { Rail } from "./rail.tsx";
import { Sidebar } from "./sidebar.tsx";

/**
 * The frame around every screen of a signed-in operator, in any of the layouts. The screen stands at the same place of the tree in all of
 * them, so that another layout doesn't lose what was typed into it.
 */
export function Frame({ onCustomize }: { onCustomize: () => void }) {
  const layout = useLayout();
  const isBoxed = layoutType.use() === "boxed";
  const t = useText();
  const { open, palette } = usePalette();
  return (
    <>
      <a
        data-screen-only
        href="#content"
        onClick={(event) => {
          // Not by the address, which would be one more step of the way back.
          event.preventDefault();
          document.getElementById("content")?.focus();
        }}
        className="fixed start-2 top-2 z-50 -translate-y-16 rounded-button bg-primary px-4 py-2 text-on-primary focus:translate-y-0"
      >
        {t("header.skipToContent")}
      </a>
      <NavigationProgress />
      <div
        data-scrolls={layout.scrolls}
        onPointerOver={tellWhole}
        onClickCapture={focusClicked}
        className={`flex flex-col ${isBoxed ? "mx-auto max-w-(--boxed-width) bg-page shadow-[0_0_24px_#0000002e]" : ""}`}
      >
        {layout.header === "above" && <Top layout={layout} onSearch={open} />}
        <div className="flex min-h-0 flex-1">
          <MenuBeside layout={layout} onSearch={open} onCustomize={onCustomize} />
          <div className="flex min-w-0 flex-1 flex-col">
            {layout.header === "beside" && <Top layout={layout} onSearch={open} />}
            {layout.header === "rail" && <BannerSlot layout={layout} />}
            <Screen layout={layout} />
          </div>
        </div>
      </div>
      {palette}
    </>
  );
}

/** What stands over the content: announcements, the header and, in the horizontal layouts, the menu. */
function Top({ layout, onSearch }: { layout: Layout; onSearch: () => void }) {
  return (
    <>
      <BannerSlot layout={layout} />
      <Header layout={layout} start={<HeaderStart layout={layout} />} onSearch={onSearch} />
      {layout.menu === "strip" && <MenuStrip ground={layout.menuGround} />}
    </>
  );
}

function HeaderStart({ layout }: { layout: Layout }) {
  if (layout.menu === "drawer") return <MenuDrawer />;
  if (layout.menu === "toggled") return <MenuToggle />;
  return layout.header === "above" && <Logo hasVersion={layout.menu === "strip"} />;
}

type MenuBesideProps = { layout: Layout; onSearch: () => void; onCustomize: () => void };

function MenuBeside({ layout, onSearch, onCustomize }: MenuBesideProps) {
  const isInset = useIsInset(layout);
  const isCollapsed = isMenuCollapsed.use();
  if (layout.menu === "drawer" || layout.menu === "strip") return null;
  if (layout.menu === "panel") {
    return (
      <>
        <Rail isAlone={isCollapsed ?? false} onSearch={onSearch} onCustomize={onCustomize} />
        <MenuPanel isCollapsed={isCollapsed ?? false} />
      </>
    );
  }
  const isMini = layout.menu === "mini" || (layout.menu === "toggled" && (isCollapsed ?? true));
  return (
    <Sidebar isMini={isMini} isInset={isInset} hasUser={layout.user === "menu"} head={layout.header === "beside" && <SidebarLogo />} />
  );
}

/** The part that scrolls, unless the page does. A fixed footer sticks to the bottom of whichever it is. */
function Screen({ layout: { scrolls } }: { layout: Layout }) {
  return (
    <Scroller
      scrolls={scrolls}
      className={`relative flex min-h-0 flex-1 flex-col ${scrolls === "content" ? "scroll-pt-12 scroll-pb-14 overflow-y-auto [scrollbar-width:auto]" : ""}`}
    >
      <main id="content" tabIndex={-1} className={`grow p-3 pb-18 outline-none sm:p-5 ${widthOf(scrolls)}`}>
        <Outlet />
      </main>
      <Footer width={widthOf(scrolls)} />
    </Scroller>
  );
}
