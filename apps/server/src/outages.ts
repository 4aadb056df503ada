/** How a target is called that doesn't answer: points with other paths of one system fail together, as it is one system that is away. */
export function targetName({ url, name, code }: { url: string | null; name: string; code: string }): string {
  return url !== null && URL.canParse(url) ? new URL(url).origin : `${name} (${code})`;
}
