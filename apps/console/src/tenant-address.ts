/** The address of a tenant's screen whichever tenant is active, in a new tab and in somebody else's browser too. */
export function addressIn(tenantCode: string, href: string): string {
  const [path = "", place] = href.split("#");
  const address = `${path}${path.includes("?") ? "&" : "?"}active_tenant=${encodeURIComponent(tenantCode)}`;
  return place === undefined ? address : `${address}#${place}`;
}
