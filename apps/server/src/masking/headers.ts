/** Headers whose value is a secret, whoever sent it. Signatures are none: they say nothing without their key. */
const secretHeader = /^(authorization|proxy-authorization|cookie|set-cookie|x-api-key)$|secret|password|token/;

/** What stands in the place of a secret wherever something is shown or kept. */
export const mask = "•••";

/** `name` in small letters. */
export function isSecretHeader(name: string): boolean {
  return secretHeader.test(name);
}

/** Header names in small letters with one value each, as connectors read them. */
export function singleHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const single: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) single[name] = typeof value === "string" ? value : value.join(", ");
  }
  return single;
}
