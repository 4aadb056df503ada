import type { RegisteredRoute } from "../access/access.ts";

/** The methods that a path is answered with, by the patterns of the routes; none for a path that no route knows. */
export function createAllowedMethods(routes: readonly RegisteredRoute[]): (path: string) => string[] {
  const known = routes.map(({ method, path }) => {
    const parts = path.split("/").map((part) => (part.startsWith(":") ? "[^/]+" : RegExp.escape(part)));
    return { method, pattern: new RegExp(`^${parts.join("/")}$`) };
  });
  return (path) => [...new Set(known.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))].sort();
}
