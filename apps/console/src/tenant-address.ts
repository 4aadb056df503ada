/** The address of a tenant's screen whichever tenant is active, in a new tab and in somebody else's browser too. */
export function addressIn(tenantCode: string, href: string): string {
  return `${href}${href.includes("?") ? "&" : "?"}active_tenant=${encodeURIComponent(tenantCode)}`;
}
