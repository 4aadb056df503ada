import type { ReactNode } from "react";

const cell = "px-3 py-2 text-end";
/** A cell of figures. */
export const figureCell = `${cell} tabular-nums whitespace-nowrap`;

type FiguresTableProps = { label: string; firstHead: string; heads: string[]; children: ReactNode };

/** A line for each thing, with its name first and its figures behind; what doesn't fit scrolls sideways. */
export function FiguresTable({ label, firstHead, heads, children }: FiguresTableProps) {
  return (
    <div className="overflow-x-auto" tabIndex={0} role="region" aria-label={label}>
      <table className="w-full">
        <thead className="align-bottom text-xs text-muted">
          <tr>
            <th className="px-4 py-2 text-start font-medium">{firstHead}</th>
            {heads.map((head) => (
              <th key={head} className={`${cell} font-medium`}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
