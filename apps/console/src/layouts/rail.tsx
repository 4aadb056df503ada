import { LanguageSelect } from "./language-select.tsx";
import { LogoMark } from "./logo.tsx";

/** The header's tools as a column of icons. */
export function Rail() {
  return (
    <div
      data-ground="sidebar"
      className="z-40 flex w-(--mini-sidebar-width) shrink-0 flex-col items-center gap-1 border-e border-line pb-3"
    >
      <div className="grid h-(--header-height) shrink-0 place-items-center">
        <LogoMark />
      </div>
      <LanguageSelect />
    </div>
  );
}
