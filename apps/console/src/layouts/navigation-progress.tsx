import { useIsMutating } from "@tanstack/react-query";
import { useRouterState } from "@tanstack/react-router";

/** A thin bar at the top while the next screen is on its way, or a change on its way to the server. */
export function NavigationProgress() {
  const isLoading = useRouterState({ select: (state) => state.isLoading });
  const isChanging = useIsMutating() > 0;
  if (!isLoading && !isChanging) return null;
  return (
    <div aria-hidden className="pointer-events-none fixed inset-x-0 top-0 z-50 h-0.75 overflow-hidden bg-secondary-soft">
      <div className="h-full origin-left animate-progress bg-secondary rtl:origin-right" />
    </div>
  );
}
