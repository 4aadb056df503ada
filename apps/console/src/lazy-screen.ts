import { lazyRouteComponent } from "@tanstack/react-router";
import { request } from "./connection.ts";

/** A screen's code could not be loaded: there is no connection, or a new version has replaced it. */
export class CodeMissing extends Error {
  override name = "CodeMissing";
}

/** A screen in a chunk of its own. */
export const lazyScreen: typeof lazyRouteComponent = (load, exportName) => lazyRouteComponent(() => loadCode(load), exportName);

/** Loads code that is not here yet. When it can't be had, the answer to a request tells why before the error does. */
export async function loadCode<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (cause) {
    await request("/readyz").catch(() => null);
    throw new CodeMissing("The code of this screen could not be loaded.", { cause });
  }
}
