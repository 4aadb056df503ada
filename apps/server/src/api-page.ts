import { errorCodes, routes } from "@crossdock/contract";

const declared = Object.values(routes);

/** A list's export stands behind the list, all else where the contract has it. */
function placeOf(route: (typeof declared)[number]): number {
  const list = declared.findIndex(({ method, path }) => method === "GET" && `${path}/export` === route.path);
  return list === -1 ? declared.indexOf(route) : list;
}

/** What stands in the tables of docs/api.md, by their heads. */
const tables = {
  "| code | status | title |": Object.entries(errorCodes).map(([code, { status, title }]) => `| \`${code}\` | ${status} | ${title} |`),
  "| route | permission | what it does |": declared
    .toSorted((one, other) => placeOf(one) - placeOf(other))
    .map(({ method, path, permission, summary }) => `| \`${method} ${path}\` | ${permission} | ${summary} |`),
};

/** docs/api.md with its tables as the contract makes them; the rest of it is written by hand. Throws when a table is not there. */
export function withTables(page: string): string {
  let text = page;
  for (const [head, rows] of Object.entries(tables)) {
    const present = new RegExp(`^${RegExp.escape(head)}\n(?:\\|.*\n)*`, "m");
    if (!present.test(text)) throw new Error(`docs/api.md lacks the table ${head}`);
    text = text.replace(present, () => [head, "|---|---|---|", ...rows, ""].join("\n"));
  }
  return text;
}
