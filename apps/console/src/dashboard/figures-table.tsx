import type { ReactNode } from "react";

/** `isBad`: it needs somebody. */
type Figure = { value: ReactNode; isBad?: boolean };
type FiguresTableProps = {
  label: string;
  firstHead: string;
  heads: string[];
  rows: { key: string; name: ReactNode; figures: Figure[] }[];
};

/** A line for each thing, with its name first and its figures behind; where the screen is too narrow a card, each figure below its head. */
export function FiguresTable({ label, firstHead, heads, rows }: FiguresTableProps) {
  return (
    <div className="overflow-x-auto" tabIndex={0} role="region" aria-label={label}>
      <table className="w-full max-sm:block">
        <thead className="align-bottom text-xs text-muted max-sm:sr-only">
          <tr>
            <th className="px-4 py-2 text-start font-medium">{firstHead}</th>
            {heads.map((head) => (
              <th key={head} className="px-3 py-2 text-end font-medium">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="max-sm:block">
          {rows.map(({ key, name, figures }) => (
            <tr
              key={key}
              className="border-t border-line max-sm:grid max-sm:grid-cols-[repeat(auto-fill,minmax(7rem,1fr))] max-sm:gap-x-3 max-sm:gap-y-2 max-sm:px-4 max-sm:py-3 max-sm:first:border-t-0"
            >
              <th className="text-start font-normal max-sm:col-span-full sm:px-4 sm:py-2">{name}</th>
              {heads.map((head, index) => (
                <td
                  key={head}
                  className={`tabular-nums sm:px-3 sm:py-2 sm:text-end sm:whitespace-nowrap ${figures[index]?.isBad ? "font-semibold text-bad" : ""}`}
                >
                  <span aria-hidden className="block text-xs font-normal text-muted sm:hidden">
                    {head}
                  </span>
                  {figures[index]?.value}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
