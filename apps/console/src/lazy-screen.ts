import { lazyRouteComponent } from "@tanstack/react-router";
import { lazy, type ComponentType, type LazyExoticComponent } from "react";
import { connected, connection, isTimeOver, reload, request } from "./api/connection.ts";
import { withAllTexts } from "./i18n/i18n.tsx";
import { isOutdated, offerAgain } from "./api/new-version.ts";

/** A screen's code could not be loaded: there is no connection, or a new version has replaced it. */
export class CodeMissing extends Error {
  override name = "CodeMissing";
}

/** A screen in a chunk of its own, which waits for the texts of all screens. */
export const lazyScreen: typeof lazyRouteComponent = (load, exportName) => firstScreen(() => withAllTexts(load), exportName);

/** The same for a screen that is opened first or most: entrance.ts puts its texts with those of the frame, so that it waits for no others. */
export const firstScreen: typeof lazyRouteComponent = (load, exportName) => lazyRouteComponent(() => loadCode(load), exportName);

/** Something that opens over a screen or in it, in a chunk of its own. If its code can't be loaded, the screen stays with what was typed there. */
export function lazyPart<Props>(load: () => Promise<Part<Props>>): LazyExoticComponent<ComponentType<Props>> {
  return firstPart(() => withAllTexts(load));
}

/** The same for what waits for no texts but the first screens'. */
export function firstPart<Props>(load: () => Promise<Part<Props>>): LazyExoticComponent<ComponentType<Props>> {
  return lazy(() => loadPart(load));
}

type Part<Props> = { default: ComponentType<Props> };

async function loadPart<Props>(load: () => Promise<Part<Props>>): Promise<Part<Props>> {
  try {
    return await loadCode(load);
  } catch (error) {
    if (connection.standing() !== "connected") return connected().then(() => loadPart(load));
    if (!isOutdated()) throw error;
    offerAgain();
    return { default: () => null };
  }
}

/** Fetches code that may be needed soon. Whoever needs it asks for it again, and tells if it can't be had. */
export function ahead(load: () => Promise<unknown>): () => void {
  return () => void load().catch(() => undefined);
}

/** Loads code that is not here yet. If that fails, a request to the server finds out why, and what was lost on its way is asked for once more. */
export async function loadCode<Module>(load: () => Promise<Module>, isLastTry = false): Promise<Module> {
  try {
    return await load();
  } catch (cause) {
    await request("/readyz").catch(() => null);
    // For what is silent nobody waits twice.
    if (isLastTry || isTimeOver(cause)) throw new CodeMissing("The code of this screen could not be loaded.", { cause });
    return loadCode(load, true);
  }
}

/** A page that fails again and again is asked for no more often. */
const reloadPauseMs = 2000;

/** For a page that has nothing to show without what it could not get, its texts or what would say so. */
export async function reloadOnceReachable(): Promise<never> {
  await request("/readyz").catch(() => null);
  await new Promise((resolve) => setTimeout(resolve, reloadPauseMs));
  await reload();
  // What waits here goes with the page.
  return new Promise(() => undefined);
}
