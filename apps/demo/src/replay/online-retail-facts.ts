/** Names in the file that are not the English name of a country; those without a code are no country. */
const ownNames: Record<string, string> = { EIRE: "IE", RSA: "ZA", USA: "US", "Czech Republic": "CZ", "Hong Kong": "HK" };

/** Two-letter codes by the country names of the file, from the platform's own table of region names. */
export const countryCodes: ReadonlyMap<string, string> = new Map([...englishNames(), ...Object.entries(ownNames)]);

function* englishNames(): Generator<[name: string, code: string]> {
  const names = new Intl.DisplayNames("en", { type: "region", fallback: "none" });
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ".split("");
  for (const code of letters.flatMap((first) => letters.map((second) => first + second))) {
    const name = names.of(code);
    // Former codes (DD, UK) bear the name of the present one, whose code their locale gives.
    const present = new Intl.Locale(`und-${code}`).region;
    if (name !== undefined && present !== undefined) yield [name, present];
  }
}

/**
 * The offset of London's clock at a local time "2011-06-01 08:26:00": +01:00 from the last Sunday of March, 01:00, to the last Sunday of
 * October, 02:00 (The Summer Time Order 2002). Empty for what is no such time.
 */
export function londonOffset(local: string): string {
  const match = /^(\d{4})-(\d\d)-(\d\d) (\d\d):\d\d:\d\d$/.exec(local.trim());
  if (!match) return "";
  const [year, month, day, hour] = match.slice(1).map(Number);
  if (year === undefined || month === undefined || day === undefined || hour === undefined) return "";
  const at = month * 10_000 + day * 100 + hour;
  const isSummer = at >= 3 * 10_000 + lastSunday(year, 3) * 100 + 1 && at < 10 * 10_000 + lastSunday(year, 10) * 100 + 2;
  return isSummer ? "+01:00" : "+00:00";
}

/** Day of the month; March and October both have 31 days. */
function lastSunday(year: number, month: 3 | 10): number {
  return 31 - new Date(Date.UTC(year, month - 1, 31)).getUTCDay();
}
