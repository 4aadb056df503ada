/** The fields that a document says something of. What it leaves open is not written, so that it stays as people have it in the target. */
export function stated(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null));
}
