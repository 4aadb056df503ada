import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Navigate, redirect } from "@tanstack/react-router";
import { parseDeadLetterSearch } from "./dead-letters/search.ts";
import { SomethingWrongPage } from "./error-pages/something-wrong-page.tsx";
import { screenTransition } from "./layouts/route-transition.ts";
import { parseQueueSearch } from "./messages/search.ts";
import { parseRetryQueueSearch } from "./retry-queue/search.ts";
import { session } from "./session.ts";
import { initialPath } from "./settings.ts";
import { parseTextSearch, writeTextSearch } from "./text-search.ts";
import { LoadingPage } from "./ui/loading-page.tsx";

const startPath = "/tenant-list";

const root = createRootRoute({ notFoundComponent: () => <Navigate to="/error-pages/error-404" replace /> });

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/signin",
  beforeLoad: () => {
    if (session.user()) throw redirect({ href: initialPath.get() ?? startPath, replace: true });
  },
  component: lazyRouteComponent(() => import("./sign-in/sign-in-page.tsx"), "SignInPage"),
});

const shell = createRoute({
  getParentRoute: () => root,
  id: "shell",
  beforeLoad: ({ location }) => {
    if (session.user()) return initialPath.forget();
    initialPath.remember(location.href);
    throw redirect({ to: "/signin", replace: true });
  },
  loader: async () => (await prefetches()).prefetchTenants(),
  component: lazyRouteComponent(() => import("./layouts/app-shell.tsx"), "AppShell"),
});

const start = createRoute({
  getParentRoute: () => shell,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: startPath, replace: true });
  },
});

const tenantList = createRoute({
  getParentRoute: () => shell,
  path: "/tenant-list",
  component: lazyRouteComponent(() => import("./tenants/tenant-list-page.tsx"), "TenantListPage"),
});

const tenant = createRoute({
  getParentRoute: () => shell,
  path: "/tenant/$tenantCode",
  component: lazyRouteComponent(() => import("./tenants/tenant-page.tsx"), "TenantPage"),
});

const subtenantList = createRoute({
  getParentRoute: () => shell,
  path: "/subtenant-list",
  loader: async () => (await prefetches()).prefetchWorkspace(),
  component: lazyRouteComponent(() => import("./subtenants/subtenant-list-page.tsx"), "SubtenantListPage"),
});

const queue = createRoute({
  getParentRoute: () => shell,
  path: "/queue",
  validateSearch: parseQueueSearch,
  loader: async () => (await prefetches()).prefetchWorkspace(),
  component: lazyRouteComponent(() => import("./messages/queue-page.tsx"), "QueuePage"),
});

const queueDetails = createRoute({
  getParentRoute: () => shell,
  path: "/queue/details/$messageId",
  loader: async () => (await prefetches()).prefetchWorkspace(),
  component: lazyRouteComponent(() => import("./messages/queue-details-page.tsx"), "QueueDetailsPage"),
});

const retryQueue = createRoute({
  getParentRoute: () => shell,
  path: "/retryqueue",
  validateSearch: parseRetryQueueSearch,
  loader: async () => (await prefetches()).prefetchWorkspace(),
  component: lazyRouteComponent(() => import("./retry-queue/retry-queue-page.tsx"), "RetryQueuePage"),
});

const deadLetterList = createRoute({
  getParentRoute: () => shell,
  path: "/deadletter-list",
  validateSearch: parseDeadLetterSearch,
  loader: async () => (await prefetches()).prefetchWorkspace(),
  component: lazyRouteComponent(() => import("./dead-letters/dead-letter-list-page.tsx"), "DeadLetterListPage"),
});

const deadLetterDetails = createRoute({
  getParentRoute: () => shell,
  path: "/deadletter/details/$queue/$id",
  loader: async () => (await prefetches()).prefetchWorkspace(),
  component: lazyRouteComponent(() => import("./messages/dead-letter-details-page.tsx"), "DeadLetterDetailsPage"),
});

const notFound = createRoute({
  getParentRoute: () => shell,
  path: "/error-pages/error-404",
  component: lazyRouteComponent(() => import("./error-pages/error-404-page.tsx"), "Error404Page"),
});

/** The catalogue of ui/. The condition is known when the console is built, so that nothing of it is in a production build. */
const development = import.meta.env.DEV
  ? [
      createRoute({
        getParentRoute: () => shell,
        path: "/kit",
        component: lazyRouteComponent(() => import("./kit/kit-page.tsx"), "KitPage"),
      }),
    ]
  : [];

/** Starts asking before the screen's code is here; in a chunk of its own, as the sign-in asks for nothing. */
function prefetches() {
  return import("./prefetch.ts");
}

export const router = createRouter({
  routeTree: root.addChildren([
    signIn,
    shell.addChildren([
      start,
      tenantList,
      tenant,
      subtenantList,
      queue,
      queueDetails,
      retryQueue,
      deadLetterList,
      deadLetterDetails,
      notFound,
      ...development,
    ]),
  ]),
  defaultPreload: "intent",
  defaultErrorComponent: SomethingWrongPage,
  defaultPendingComponent: LoadingPage,
  parseSearch: parseTextSearch,
  stringifySearch: writeTextSearch,
  scrollRestoration: true,
  defaultViewTransition: screenTransition,
});

declare module "@tanstack/react-router" {
  // eslint-disable-next-line typescript/consistent-type-definitions -- merging with the library's interface needs one
  interface Register {
    router: typeof router;
  }
}
