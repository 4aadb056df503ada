import { useEffect, useLayoutEffect } from "react";

const product = "Crossdock";
let page: string | null = null;
let place: string | null = null;

/** "Queue · Acme · Crossdock": the page, where it is, the product. */
function write(): void {
  document.title = [page, place, product].filter(Boolean).join(" · ");
}

function setPage(title: string): void {
  page = title;
  write();
}

/** The page's part of the browser tab's title. */
export function usePageTitle(title: string): void {
  useEffect(() => setPage(title), [title]);
}

/** What the page is called until its screen is here and says it better. Layout effects come before the screen's own. */
export function useInterimTitle(title: string): void {
  useLayoutEffect(() => setPage(title), [title]);
}

/** Where all pages are at the moment, or null. */
export function usePlaceTitle(name: string | null): void {
  useEffect(() => {
    place = name;
    write();
    return () => {
      place = null;
      write();
    };
  }, [name]);
}
