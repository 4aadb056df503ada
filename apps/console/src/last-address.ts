import type { ParsedLocation } from "@tanstack/react-router";
import { activeTenantCode } from "./settings.ts";

/** How each screen was seen last in this tab. */
const seen = new Map<string, { query: string; tenantCode: string | null }>();

export function noteAddress({ toLocation: { pathname, searchStr } }: { toLocation: ParsedLocation }): void {
  seen.set(pathname, { query: searchStr, tenantCode: activeTenantCode.get() });
}

/** The address of a screen as it was seen last: with its filters, which mean nothing in another tenant. */
export function lastAddressOf(path: string): string {
  const last = seen.get(path);
  return last?.tenantCode === activeTenantCode.get() ? path + last.query : path;
}

export function forgetAddresses(): void {
  seen.clear();
}
