import { useText } from "../i18n/i18n.tsx";
import { InPortions } from "../ui/in-portions.tsx";
import type { FieldChange } from "./changes.ts";

/** Field by field, what stood there and what does; a side on which nothing ever stands has no column. */
export function FieldChanges({ changes }: { changes: readonly FieldChange[] }) {
  const t = useText();
  const sides = (["before", "after"] as const).filter((side) => changes.some((change) => change[side] !== null));
  const headers = { before: t("audit.before"), after: t("audit.after") };
  return (
    <InPortions items={changes}>
      {(shown) => (
        <table className="w-full table-fixed text-start">
          <thead className="text-xs text-muted">
            <tr>
              {[t("patch.path"), ...sides.map((side) => headers[side])].map((header) => (
                <th key={header} scope="col" className="px-3 pt-3 pb-1 text-start font-normal first:ps-4 last:pe-4">
                  {header}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((change) => (
              <tr key={change.field} className="border-t border-line align-top">
                <th scope="row" className="py-2 ps-4 pe-3 text-start font-normal">
                  <code dir="ltr" className="text-xs break-words">
                    {change.field}
                  </code>
                </th>
                {sides.map((side) => (
                  <td key={side} className="px-3 py-2 break-words last:pe-4">
                    {change[side] === null ? <span className="text-muted">–</span> : <bdi>{shortened(change[side])}</bdi>}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </InPortions>
  );
}

/** What a row of the list has room for: the first changes in a line each. */
export function FirstChanges({ changes }: { changes: readonly FieldChange[] }) {
  if (changes.length === 0) return "–";
  return (
    <span className="line-clamp-2 leading-[1.0625rem] break-words whitespace-normal">
      {changes.slice(0, rowMax).map(({ field, before, after }) => (
        <span key={field} dir="ltr" className="block truncate">
          <span className="text-muted">{field}: </span>
          <bdi>{before ?? "–"}</bdi> → <bdi>{after ?? "–"}</bdi>
        </span>
      ))}
    </span>
  );
}

const rowMax = 2;

/** Longer values are cut: a change is read, and the whole stands in the JSON. */
const shownMax = 400;

const shortened = (text: string): string => (text.length > shownMax ? `${text.slice(0, shownMax)}…` : text);
