import { createRootRoute, Navigate } from "@tanstack/react-router";
import { RootScreen } from "./root-screen.tsx";
import { notFoundPath, routeTable, type RoutePath, type RouteRule } from "./routes.ts";

export const root = createRootRoute({
  component: RootScreen,
  notFoundComponent: () => <Navigate to={notFoundPath} replace />,
});

/** A path with what the route table says of it. */
export function declared<Path extends RoutePath>(path: Path): { path: Path; staticData: { rule: RouteRule } } {
  return { path, staticData: { rule: routeTable[path] } };
}
