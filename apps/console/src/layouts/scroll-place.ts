import { useRouter, type ParsedLocation } from "@tanstack/react-router";
import { useLayoutEffect } from "react";

type Place = ParsedLocation<Record<string, unknown>>;

const content = '[data-scroll-restoration-id="content"]';

/**
 * Another screen begins at its top, or where it was left when one goes back to it. What changes within a screen, its filters or the row beside
 * its list say, leaves it where it is. A page that is loaded anew begins at its top. The router itself knows neither the part that scrolls nor what a screen
 * is; the sign-in needs nothing of it.
 */
export function useScrollPlace(): void {
  const router = useRouter();
  // Before the router tells of the first screen.
  useLayoutEffect(() => router.update({ ...router.options, scrollRestoration: startsAnew, scrollToTopSelectors: [content] }), [router]);
}

let shown = "";

function startsAnew({ location }: { location: Place }): boolean {
  const next = screenOf(location);
  if (next !== shown) {
    // What a page that is loaded anew will show has yet to come: it would be led to where its place seems to end.
    const before = shown;
    shown = next;
    return before !== "";
  }
  // The router keeps the place of what it has heard of since the last change of the address.
  for (const part of [document, document.querySelector(content)]) part?.dispatchEvent(new Event("scroll"));
  return false;
}

/** Some lists open an object in their own place, under the same path. */
function screenOf({ pathname, search: { point, object, differences } }: Place): string {
  return JSON.stringify([pathname, point, object, differences]);
}
