import { Version } from "./version.tsx";

/** The product's mark: two goods crossing a dock. */
export function LogoMark() {
  return <img src="/favicon.svg" alt="" className="size-8 shrink-0" />;
}

/** Mark and name, with the version under them where no sidebar shows it. */
export function Logo({ hasVersion = false }: { hasVersion?: boolean }) {
  return (
    <span className="inline-flex shrink-0 items-center gap-2.5">
      <LogoMark />
      <span>
        <span className="block text-lg leading-tight font-semibold">Crossdock</span>
        {hasVersion && <Version className="text-xs leading-tight" />}
      </span>
    </span>
  );
}

/** On top of a sidebar, where only the mark shows when there is room for icons alone. */
export function SidebarLogo() {
  return (
    <span className="flex items-center text-lg font-semibold">
      <span className="grid w-(--mini-sidebar-width) shrink-0 place-items-center">
        <LogoMark />
      </span>
      Crossdock
    </span>
  );
}
