import { routeTransition, type RouteTransition } from "../settings.ts";

const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");

/** How one screen takes the place of another; layouts.css has the movements. What changes within a screen, its filters say, doesn't move it. */
export const screenTransition = {
  types({ pathChanged }: { pathChanged: boolean }): RouteTransition[] | false {
    const chosen = routeTransition.get();
    return pathChanged && chosen !== "none" && !reducedMotion.matches && [chosen];
  },
};
