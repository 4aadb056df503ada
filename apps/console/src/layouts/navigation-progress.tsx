import { useRouterState } from "@tanstack/react-router";

/** A thin bar at the top while the next screen is on its way. */
export function NavigationProgress() {
  const isLoading = useRouterState({ select: (state) => state.isLoading });
  if (!isLoading) return null;
  return <div aria-hidden className="fixed inset-x-0 top-0 z-50 h-0.5 animate-pulse bg-primary" />;
}
