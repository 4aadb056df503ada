import { CatchBoundary, createRoute, createRouter, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { parseAlertSearch } from "./alerts/search.ts";
import { parseAuditSearch } from "./audit-events/search.ts";
import { parseConfigurationSearch } from "./configuration/search.ts";
import { parseDashboardSearch } from "./dashboard/search.ts";
import { parseDeadLetterSearch } from "./dead-letters/search.ts";
import { parseEntitySearch } from "./entities/search.ts";
import { parseExternalItemSearch } from "./external-items/search.ts";
import { guard } from "./session/guard.ts";
import { loadFirstTexts, type TextKey } from "./i18n/i18n.tsx";
import { parseJobStatusSearch } from "./job-status/search.ts";
import { parseExternalMessageSearch } from "./external-messages/search.ts";
import { screenTransition } from "./layouts/route-transition.ts";
import { firstScreen, lazyScreen, loadCode } from "./lazy-screen.ts";
import { parseMappingSearch } from "./mappings/search.ts";
import { parseMailSearch } from "./mails/search.ts";
import type { prefetch } from "./prefetch.ts";
import { parseQueueSearch } from "./messages/search.ts";
import { parseRetryQueueSearch } from "./retry-queue/search.ts";
import { declared, root } from "./root-route.tsx";
import { routeTable, startPath, type RouteRule } from "./routes.ts";
import { parseHubSearch } from "./subtenant-hub/search.ts";
import { parseToolboxSearch } from "./toolbox/search.ts";
import { parseTextSearch, writeTextSearch, pickTexts } from "./text-search.ts";
import { parseUserSearch } from "./users/search.ts";
import { LoadedAgain, LoadingPage } from "./ui/loading-page.tsx";
import { waysIn } from "./ways-in.ts";

/** Loaded with the frame around the screens, so that it is here when other code can't be loaded. */
const SomethingWrong = lazyRouteComponent(() => import("./error-pages/something-wrong-page.tsx"), "SomethingWrongPage");

const shell = createRoute({
  getParentRoute: () => root,
  id: "shell",
  beforeLoad: async ({ location, matches }) => {
    guard(location.href, matches.at(-1)?.staticData.rule);
    void SomethingWrong.preload?.();
    await loadCode(loadFirstTexts);
  },
  loader: askFor("frame"),
  component: firstScreen(() => import("./layouts/app-shell.tsx"), "AppShell"),
});

/** Of a list that is whole: what is looked for in it. */
const parseFound = (given: Record<string, unknown>) => pickTexts(given, ["search"]);

const start = createRoute({
  getParentRoute: () => shell,
  path: "/",
  staticData: { rule: routeTable[startPath] },
  beforeLoad: () => {
    throw redirect({ to: startPath, replace: true });
  },
});

const tenantList = createRoute({
  getParentRoute: () => shell,
  ...declared("/tenant-list"),
  validateSearch: parseFound,
  component: firstScreen(() => import("./tenants/tenant-list-page.tsx"), "TenantListPage"),
});

const tenant = createRoute({
  getParentRoute: () => shell,
  ...declared("/tenant/$tenantCode"),
  component: lazyScreen(() => import("./tenants/tenant-page.tsx"), "TenantPage"),
});

const subtenantList = createRoute({
  getParentRoute: () => shell,
  ...declared("/subtenant-list"),
  validateSearch: parseFound,
  loader: askFor("workspace"),
  component: lazyScreen(() => import("./subtenants/subtenant-list-page.tsx"), "SubtenantListPage"),
});

const subtenantHub = createRoute({
  getParentRoute: () => shell,
  ...declared("/subtenant/$subtenantCode/dashboard"),
  validateSearch: parseHubSearch,
  loader: askFor("workspace"),
  component: lazyScreen(() => import("./subtenant-hub/subtenant-hub-page.tsx"), "SubtenantHubPage"),
});

const queue = createRoute({
  getParentRoute: () => shell,
  ...declared("/queue"),
  validateSearch: parseQueueSearch,
  loader: askFor("workspace"),
  component: firstScreen(() => import("./messages/queue-page.tsx"), "QueuePage"),
});

const queueDetails = createRoute({
  getParentRoute: () => shell,
  ...declared("/queue/details/$messageId"),
  validateSearch: (given: Record<string, unknown>) => pickTexts(given, ["view"]),
  loader: askFor("workspace"),
  component: lazyScreen(() => import("./messages/queue-details-page.tsx"), "QueueDetailsPage"),
});

const retryQueue = createRoute({
  getParentRoute: () => shell,
  ...declared("/retryqueue"),
  validateSearch: parseRetryQueueSearch,
  loader: askFor("workspace"),
  component: firstScreen(() => import("./retry-queue/retry-queue-page.tsx"), "RetryQueuePage"),
});

const deadLetterList = createRoute({
  getParentRoute: () => shell,
  ...declared("/deadletter-list"),
  validateSearch: parseDeadLetterSearch,
  loader: askFor("workspace"),
  component: firstScreen(() => import("./dead-letters/dead-letter-list-page.tsx"), "DeadLetterListPage"),
});

const deadLetterDetails = createRoute({
  getParentRoute: () => shell,
  ...declared("/deadletter/details/$queue/$id"),
  loader: askFor("workspace"),
  component: lazyScreen(() => import("./dead-letter-details-page.tsx"), "DeadLetterDetailsPage"),
});

const mappingList = createRoute({
  getParentRoute: () => shell,
  ...declared("/mapping-list"),
  validateSearch: parseMappingSearch,
  loader: askFor("workspace"),
  component: lazyScreen(() => import("./mappings/mapping-list-page.tsx"), "MappingListPage"),
});

const configuration = createRoute({
  getParentRoute: () => shell,
  ...declared("/configuration"),
  validateSearch: parseConfigurationSearch,
  loader: askFor("workspace"),
  component: lazyScreen(() => import("./configuration/configuration-page.tsx"), "ConfigurationPage"),
});

const entities = createRoute({
  getParentRoute: () => shell,
  ...declared("/entities"),
  validateSearch: parseEntitySearch,
  loader: askFor("workspace"),
  component: lazyScreen(() => import("./entities/entities-page.tsx"), "EntitiesPage"),
});

const jobStatus = createRoute({
  getParentRoute: () => shell,
  ...declared("/jobstatus-list"),
  validateSearch: parseJobStatusSearch,
  loader: askFor("workspace"),
  component: lazyScreen(() => import("./job-status/job-status-page.tsx"), "JobStatusPage"),
});

const externalItems = createRoute({
  getParentRoute: () => shell,
  ...declared("/externalitems"),
  validateSearch: parseExternalItemSearch,
  loader: askFor("workspace"),
  component: lazyScreen(() => import("./external-items/external-item-list-page.tsx"), "ExternalItemListPage"),
});

const externalMessages = createRoute({
  getParentRoute: () => shell,
  ...declared("/externalmessages"),
  validateSearch: parseExternalMessageSearch,
  loader: askFor("workspace"),
  component: firstScreen(() => import("./external-messages/external-message-list-page.tsx"), "ExternalMessageListPage"),
});

const externalMessageDetails = createRoute({
  getParentRoute: () => shell,
  ...declared("/externalmessages/details/$messageId"),
  validateSearch: (given: Record<string, unknown>) => pickTexts(given, ["view"]),
  loader: askFor("workspace"),
  component: lazyScreen(() => import("./external-messages/external-message-details-page.tsx"), "ExternalMessageDetailsPage"),
});

const dashboard = createRoute({
  getParentRoute: () => shell,
  ...declared("/brightcom-dashboard"),
  validateSearch: parseDashboardSearch,
  loader: askFor("overview"),
  component: lazyScreen(() => import("./dashboard/dashboard-page.tsx"), "DashboardPage"),
});

const alerts = createRoute({
  getParentRoute: () => shell,
  ...declared("/alerts"),
  validateSearch: parseAlertSearch,
  loader: askFor("workspace"),
  component: lazyScreen(() => import("./alerts/alerts-page.tsx"), "AlertsPage"),
});

const users = createRoute({
  getParentRoute: () => shell,
  ...declared("/users"),
  validateSearch: parseUserSearch,
  loader: askFor("users"),
  component: lazyScreen(() => import("./users/user-list-page.tsx"), "UserListPage"),
});

const apiKeys = createRoute({
  getParentRoute: () => shell,
  ...declared("/api-keys"),
  validateSearch: parseFound,
  loader: askFor("apiKeys"),
  component: lazyScreen(() => import("./api-keys/api-key-list-page.tsx"), "ApiKeyListPage"),
});

const account = createRoute({
  getParentRoute: () => shell,
  ...declared("/account"),
  loader: askFor("account"),
  component: lazyScreen(() => import("./account/account-page.tsx"), "AccountPage"),
});

const outbox = createRoute({
  getParentRoute: () => shell,
  ...declared("/outbox"),
  validateSearch: parseMailSearch,
  loader: askFor("mails"),
  component: lazyScreen(() => import("./mails/mail-list-page.tsx"), "MailListPage"),
});

const auditLog = createRoute({
  getParentRoute: () => shell,
  ...declared("/audit-log"),
  validateSearch: parseAuditSearch,
  loader: askFor("auditEvents"),
  component: lazyScreen(() => import("./audit-events/audit-log-page.tsx"), "AuditLogPage"),
});

const toolbox = createRoute({
  getParentRoute: () => shell,
  ...declared("/toolbox"),
  validateSearch: parseToolboxSearch,
  loader: askFor("workspace"),
  component: lazyScreen(() => import("./toolbox/toolbox-page.tsx"), "ToolboxPage"),
});

const error404 = createRoute({
  getParentRoute: () => shell,
  ...declared("/error-pages/error-404"),
  component: lazyScreen(() => import("./error-pages/error-404-page.tsx"), "Error404Page"),
});

const error500 = createRoute({
  getParentRoute: () => shell,
  ...declared("/error-pages/error-500"),
  component: lazyScreen(() => import("./error-pages/error-500-page.tsx"), "Error500Page"),
});

const comingSoon = createRoute({
  getParentRoute: () => shell,
  ...declared("/error-pages/coming-soon"),
  component: lazyScreen(() => import("./error-pages/coming-soon-page.tsx"), "ComingSoonPage"),
});

const maintenance = createRoute({
  getParentRoute: () => shell,
  ...declared("/error-pages/maintenance"),
  component: lazyScreen(() => import("./error-pages/maintenance-page.tsx"), "MaintenancePage"),
});

/** The catalogue of ui/. The condition is known at build time, so a production build has nothing of it. */
const development = import.meta.env.DEV
  ? [
      createRoute({
        getParentRoute: () => shell,
        path: "/kit",
        staticData: { rule: routeTable[startPath] },
        component: lazyScreen(() => import("./kit/kit-page.tsx"), "KitPage"),
      }),
    ]
  : [];

/** Starts fetching before the screen's code is here. In a chunk of its own, as the sign-in needs none of it. */
function askFor(what: keyof typeof prefetch) {
  return async ({ location }: { location: { search: Record<string, unknown> } }): Promise<void> => {
    const { prefetch } = await loadCode(() => import("./prefetch.ts"));
    await prefetch[what](location.search);
  };
}

export const router = createRouter({
  routeTree: root.addChildren([
    ...waysIn,
    shell.addChildren([
      start,
      tenantList,
      tenant,
      subtenantList,
      subtenantHub,
      queue,
      queueDetails,
      retryQueue,
      deadLetterList,
      deadLetterDetails,
      mappingList,
      configuration,
      entities,
      jobStatus,
      toolbox,
      externalItems,
      externalMessages,
      externalMessageDetails,
      dashboard,
      alerts,
      users,
      apiKeys,
      account,
      outbox,
      auditLog,
      error404,
      error500,
      comingSoon,
      maintenance,
      ...development,
    ]),
  ]),
  defaultPreload: "intent",
  defaultErrorComponent: (props) => (
    <CatchBoundary getResetKey={() => ""} errorComponent={LoadedAgain}>
      <SomethingWrong {...props} />
    </CatchBoundary>
  ),
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
  // eslint-disable-next-line typescript/consistent-type-definitions -- as above
  interface StaticDataRouteOption {
    rule?: RouteRule;
  }
  // eslint-disable-next-line typescript/consistent-type-definitions -- as above
  interface HistoryState {
    /** The tenant that became the active one on the way there. */
    tenantCode?: string;
    /** What is said on the screen on the way in that it leads to. */
    message?: TextKey;
    /** What the screen is called that is not open to the person's role, where the 404 page stands for it. */
    refused?: TextKey | undefined;
  }
}
