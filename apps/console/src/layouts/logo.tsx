import { Version } from "./version.tsx";

/** The product's mark: two goods crossing a dock, in the colours of what is active on its ground. */
export function LogoMark() {
  return (
    <svg aria-hidden viewBox="0 0 32 32" className="size-8 shrink-0">
      <rect width="32" height="32" rx="7" className="fill-active" />
      <path
        d="M7 11h12M15 6.5 19.5 11 15 15.5M25 21H13M17 16.5 12.5 21 17 25.5"
        className="fill-none stroke-on-active"
        strokeWidth="2.6"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
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
