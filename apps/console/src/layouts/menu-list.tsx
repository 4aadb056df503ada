import { Link, useLocation } from "@tanstack/react-router";
import { ChevronDown } from "lucide-react";
import { useEffect, useId, useRef, useState } from "react";
import { useText } from "../i18n/i18n.tsx";
import { MenuBadge } from "./menu-badge.tsx";
import { isActiveAt, type MenuCollapse, type MenuGroup, type MenuItem, type MenuNode } from "./menu.ts";

type MenuListProps = {
  nodes: MenuNode[];
  /** Only the icons have room; the words are cut off, and still read out. */
  isMini: boolean;
  onNavigate: (() => void) | undefined;
};

/** The menu as a column. */
export function MenuList({ nodes, ...rest }: MenuListProps) {
  return (
    <ul className="grid grid-cols-1 gap-1">
      {nodes.map((node) => {
        if (node.type === "divider") return <li key={node.id} aria-hidden className="my-2 border-t border-line" />;
        if (node.type === "group") return <Group key={node.id} group={node} {...rest} />;
        if (node.type === "collapse") return <Collapse key={node.id} collapse={node} {...rest} />;
        return <Item key={node.id} item={node} {...rest} />;
      })}
    </ul>
  );
}

type RowProps = Omit<MenuListProps, "nodes">;

/** A row's icon stands where a mini sidebar shows it, so that nothing moves when it opens. */
const rowClass = "relative flex h-10 w-full items-center rounded-e-full whitespace-nowrap";
const iconSlot = "grid w-(--mini-sidebar-width) shrink-0 place-items-center";

function Item({ item, isMini, onNavigate }: RowProps & { item: MenuItem }) {
  const t = useText();
  const isActive = useLocation({ select: ({ pathname }) => isActiveAt(pathname, item) });
  const Icon = item.icon;
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isActive) row.current?.scrollIntoView({ block: "nearest" });
  }, [isActive]);
  return (
    <li ref={row} className={isMini ? "pe-1.5" : "pe-4"}>
      <Link
        to={item.url}
        onClick={onNavigate}
        aria-current={isActive ? "page" : undefined}
        className={`${rowClass} ${isActive ? "bg-active font-medium text-on-active" : "hover:bg-hover"}`}
      >
        <span className={iconSlot}>
          <Icon aria-hidden className="size-4.5" strokeWidth={1.8} />
        </span>
        <span className="min-w-0 flex-1 truncate">{t(item.title)}</span>
        {item.badge && (
          <MenuBadge
            badge={item.badge}
            className={isMini ? "absolute inset-e-0.5 -top-0.5 px-1.5 text-[0.625rem]" : "me-3 px-2 py-px text-xs"}
          />
        )}
      </Link>
    </li>
  );
}

function Group({ group, ...rest }: RowProps & { group: MenuGroup }) {
  const t = useText();
  const titleId = useId();
  return (
    <li>
      <p id={titleId} className={`h-9 truncate px-5 pt-3 text-xs font-semibold text-muted ${rest.isMini ? "invisible" : ""}`}>
        {t(group.title)}
      </p>
      <div role="group" aria-labelledby={titleId}>
        <MenuList nodes={group.children} {...rest} />
      </div>
    </li>
  );
}

function Collapse({ collapse, isMini, onNavigate }: RowProps & { collapse: MenuCollapse }) {
  const t = useText();
  const isActive = useLocation({ select: ({ pathname }) => isActiveAt(pathname, collapse) });
  const [isUnfolded, setIsUnfolded] = useState(isActive);
  const Icon = collapse.icon;
  return (
    <li>
      <div className={isMini ? "pe-1.5" : "pe-4"}>
        <button
          type="button"
          aria-expanded={isUnfolded}
          onClick={() => setIsUnfolded(!isUnfolded)}
          className={`${rowClass} hover:bg-hover`}
        >
          <span className={iconSlot}>
            <Icon aria-hidden className="size-4.5" strokeWidth={1.8} />
          </span>
          <span className="min-w-0 flex-1 truncate text-start">{t(collapse.title)}</span>
          <ChevronDown aria-hidden className={`me-3 size-4 transition-transform ${isUnfolded ? "rotate-180" : ""}`} />
        </button>
      </div>
      {isUnfolded && !isMini && (
        <div className="mt-1 ps-4">
          <MenuList nodes={collapse.children} isMini={isMini} onNavigate={onNavigate} />
        </div>
      )}
    </li>
  );
}
