import type { TargetResponse, Verdict } from "./connector.ts";

/** Statuses that pass by themselves: timeouts, locks, too early, too many requests. */
const passing = new Set([408, 423, 425, 429]);

/**
 * What a status means where the system says no more: 2xx delivered, passing faults and 5xx again later, anything else never. Refused credentials
 * (401) are the target's set-up, not the message's: whatever is sent fails until somebody corrects them. 403 may be about one object.
 */
export function verdictOfStatus({ status, headers, body }: TargetResponse): Verdict {
  if (status >= 200 && status < 300) return { kind: "delivered" };
  const error = { class: `http-${status}`, message: `HTTP ${status}${summaryOf(body)}` };
  const isTargetFault = status >= 500 || status === 429 || status === 401;
  if (isTargetFault || passing.has(status)) {
    const retryAfterMs = retryAfterOf(headers["retry-after"], headers["date"]);
    return { kind: "retry", error, isTargetFault, ...(retryAfterMs === null ? {} : { retryAfterMs }) };
  }
  return { kind: "dead", error };
}

const retryAfterMsMax = 86_400_000;

/**
 * Retry-After in seconds, decimals allowed as some systems send "2.0", or as an HTTP date, which is counted from the answer's own Date: so
 * the target's clock may be wrong. Null where it is neither; the backoff serves. At most a day.
 */
export function retryAfterOf(header: string | undefined, date?: string): number | null {
  if (header === undefined) return null;
  if (/^\s*[0-9]{1,9}(?:\.[0-9]{1,9})?\s*$/.test(header)) return Math.min(Math.ceil(Number(header) * 1000), retryAfterMsMax);
  const [until, from] = [httpDate(header), httpDate(date)];
  return until === null || from === null ? null : Math.min(Math.max(until - from, 0), retryAfterMsMax);
}

/** https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7: "Sun, 06 Nov 1994 08:49:37 GMT"; its forms of old are nobody's any more. */
function httpDate(text: string | undefined): number | null {
  const milliseconds = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text ?? "")
    ? Date.parse(text ?? "")
    : Number.NaN;
  return Number.isNaN(milliseconds) ? null : milliseconds;
}

/** The beginning of an answer on one line. */
export function summaryOf(body: string): string {
  const line = body.slice(0, 2_000).replace(/\s+/g, " ").trim();
  return line === "" ? "" : `: ${line.slice(0, 300)}`;
}
