import type { Attempt } from "@crossdock/contract";

/** What was sent as a command for a shell. The server has masked credentials before it kept the request, and they stay masked. */
export function curlOf({ method, url, headers, body }: NonNullable<Attempt["request"]>): string {
  const parts = [`curl -X ${method} ${quote(url)}`];
  for (const [name, value] of Object.entries(headers)) parts.push(`-H ${quote(`${name}: ${value}`)}`);
  if (body !== null) parts.push(`--data-binary ${quote(body)}`);
  return parts.join(" \\\n  ");
}

/** In single quotes nothing has a meaning but the quote itself. */
const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
