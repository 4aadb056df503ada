import type { Layout } from "../layouts/layouts.ts";
import { regionsOf, type Box } from "./regions.ts";

const screen = { width: 72, height: 48 };

/** A layout as a drawing, from the same description that the frame is built of. Colours come from the grounds, so it follows the theme. */
export function Miniature({ layout }: { layout: Layout }) {
  const { header, menu, rail, content } = regionsOf(layout, screen);
  const hasHamburger = layout.menu === "drawer" || layout.menu === "toggled";
  return (
    <svg aria-hidden viewBox={`0 0 ${screen.width} ${screen.height}`} className="w-full rounded-[3px] ring-1 ring-line rtl:-scale-x-100">
      <rect {...screen} className="fill-page" />
      {content && <Content {...content} />}
      {header && (
        <g data-ground={layout.headerGround}>
          <Area {...header} />
          {hasHamburger && <path d={`M${header.x + 3} 3h4m-4 1.5h4m-4 1.5h4`} className="stroke-ink stroke-[0.7]" />}
          <path d={`M${screen.width - 20} 4.5h8`} className="stroke-line stroke-[2.5]" strokeLinecap="round" />
          {layout.user === "header" && <circle cx={screen.width - 5} cy="4.5" r="2.2" className="fill-active" />}
        </g>
      )}
      {rail && (
        <g data-ground="sidebar">
          <Area {...rail} />
          <Dots {...rail} />
        </g>
      )}
      {menu && (
        <g data-ground={layout.menuGround}>
          <Area {...menu} />
          <Entries box={menu} isStrip={layout.menu === "strip"} hasUser={layout.user === "menu"} />
        </g>
      )}
    </svg>
  );
}

function Area(box: Box) {
  return <rect {...box} className="fill-paper stroke-line stroke-[0.5]" />;
}

function Content({ x, y, width, height }: Box) {
  const half = (width - 2) / 2;
  return (
    <g className="fill-paper stroke-line stroke-[0.3]">
      <rect x={x} y={y} width={half} height="9" rx="1" />
      <rect x={x + half + 2} y={y} width={half} height="9" rx="1" />
      <rect x={x} y={y + 11} width={width} height={height - 11} rx="1" />
    </g>
  );
}

function Dots({ x, y, width, height }: Box) {
  const centres = [5, 11, 17, height - 5].map((top) => y + top);
  return centres.map((cy) => <circle key={cy} cx={x + width / 2} cy={cy} r="1.4" className="fill-muted" />);
}

/** Entries of the menu, the second one chosen; above them the user where the menu has that block. */
function Entries({ box: { x, y, width, height }, isStrip, hasUser }: { box: Box; isStrip: boolean; hasUser: boolean }) {
  if (isStrip) {
    return [4, 17, 30, 43].map((left, index) => (
      <rect
        key={left}
        x={x + left}
        y={y + 1.5}
        width="10"
        height={height - 3}
        rx="1.5"
        className={index === 1 ? "fill-active" : "fill-line"}
      />
    ));
  }
  const top = y + (hasUser ? 12 : 5);
  const isMini = width < 10;
  return (
    <>
      {hasUser && <circle cx={x + (isMini ? width / 2 : 5)} cy={y + 5} r="2.4" className="fill-muted" />}
      {[0, 1, 2, 3].map((entry) => (
        <rect
          key={entry}
          x={x + (entry === 1 ? 0 : 2)}
          y={top + entry * 6.5}
          width={width - (entry === 1 ? 1.5 : 4)}
          height={entry === 1 ? 4 : 2}
          rx="1"
          transform={entry === 1 ? "translate(0 -1)" : undefined}
          className={entry === 1 ? "fill-active" : "fill-muted"}
        />
      ))}
    </>
  );
}
