/** Files of code and styles that are here, or on their way. The page names its first ones itself. */
const files = new Map([...document.querySelectorAll("script[src], link[href]")].map((element) => [urlOf(element), Promise.resolve()]));

/** Code that was fetched and not yet read. */
const fetched = new Set<string>();

/** The page has just come, and nothing is typed that a reload could lose: the code of its first screen is imported at once. */
let isFirstScreen = true;
export const noteFirstScreen = (): void => {
  isFirstScreen = false;
};

/**
 * The build lets each dynamic import go through here, with the files that it needs. They are fetched before the import, as a module that failed
 * to load is remembered as such for as long as the page lives (https://html.spec.whatwg.org/#fetch-a-single-module-script): what fails here
 * is a fetch, and may be tried again. The import then finds the files in the browser's cache. Rejects if one of them can't be had.
 */
export async function withFiles<Module>(load: () => Promise<Module>, needed: string[] = []): Promise<Module> {
  const urls = needed.map((file) => `/${file}`);
  await Promise.all(urls.map(haveFile));
  // Else the import would ask for them level by level, each when it has read one that imports it.
  for (const url of urls) if (fetched.delete(url)) addLink("modulepreload", url);
  return load();
}

function urlOf(element: Element): string {
  return element.getAttribute("src") ?? element.getAttribute("href") ?? "";
}

function haveFile(url: string): Promise<void> {
  const known = files.get(url);
  if (known) return known;
  const had = bringFile(url);
  files.set(url, had);
  had.catch(() => files.delete(url));
  return had;
}

/** How long a file may take. One that is silent would be waited for by everybody who asks for it again. */
const fileMaxMs = 60_000;

async function bringFile(url: string): Promise<void> {
  if (!isFirstScreen) {
    const response = await fetch(url, { signal: AbortSignal.timeout(fileMaxMs) });
    if (!response.ok) throw new Error(`${url} answered ${response.status}`);
    // Only what was received to its end is kept in the cache.
    await response.blob();
  }
  if (url.endsWith(".css")) await addStyles(url);
  else fetched.add(url);
}

function addStyles(url: string): Promise<void> {
  const link = addLink("stylesheet", url);
  return new Promise((resolve, reject) => {
    link.addEventListener("load", () => resolve());
    link.addEventListener("error", () => {
      link.remove();
      reject(new Error(`${url} could not be loaded`));
    });
  });
}

function addLink(rel: string, url: string): HTMLLinkElement {
  const link = document.createElement("link");
  link.rel = rel;
  link.href = url;
  document.head.append(link);
  return link;
}
