import type { TargetResponse, Verdict } from "./connector.ts";

/** Statuses that pass by themselves: timeouts, locks, too early, too many requests. */
const passing = new Set([408, 423, 425, 429]);

/** What a status means where the system says no more: 2xx delivered, passing faults and 5xx again later, anything else never. */
export function verdictOfStatus({ status, headers, body }: TargetResponse): Verdict {
  if (status >= 200 && status < 300) return { kind: "delivered" };
  const error = { class: `http-${status}`, message: `HTTP ${status}${summaryOf(body)}` };
  if (status >= 500 || passing.has(status)) {
    const retryAfterMs = retryAfterOf(headers["retry-after"]);
    return { kind: "retry", error, isTargetFault: status >= 500 || status === 429, ...(retryAfterMs === null ? {} : { retryAfterMs }) };
  }
  return { kind: "dead", error };
}

/** Retry-After in seconds, decimals allowed as some systems send "2.0". Dates are not understood: the backoff serves. At most a day. */
export function retryAfterOf(header: string | undefined): number | null {
  if (header === undefined || !/^\s*[0-9]{1,9}(?:\.[0-9]{1,9})?\s*$/.test(header)) return null;
  return Math.min(Math.ceil(Number(header) * 1000), 86_400_000);
}

/** The beginning of an answer on one line. */
export function summaryOf(body: string): string {
  const line = body.slice(0, 2_000).replace(/\s+/g, " ").trim();
  return line === "" ? "" : `: ${line.slice(0, 300)}`;
}
