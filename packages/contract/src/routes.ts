import { accountRoutes } from "./account.ts";
import { alertChannelRoutes } from "./alert-channels.ts";
import { alertRuleRoutes } from "./alert-rules.ts";
import { alertRoutes } from "./alerts.ts";
import { announcementRoutes } from "./announcements.ts";
import { apiKeyRoutes } from "./api-keys.ts";
import { auditEventRoutes } from "./audit-events.ts";
import { bulkPatchRoutes } from "./bulk-patch.ts";
import { redirectRoutes } from "./redirect.ts";
import { comingSoonRoutes } from "./coming-soon.ts";
import { connectorRoutes } from "./connectors.ts";
import { deadLetterRoutes } from "./dead-letters.ts";
import { entityRoutes } from "./entities.ts";
import { eventRoutes } from "./events.ts";
import { exportRunRoutes } from "./export-runs.ts";
import { exportRoutes } from "./exports.ts";
import { externalItemRoutes } from "./external-items.ts";
import { externalMessageRoutes } from "./external-messages.ts";
import { healthRoutes } from "./health.ts";
import { importRoutes } from "./imports.ts";
import { integrationPointRoutes } from "./integration-points.ts";
import { jobRoutes } from "./jobs.ts";
import { mailRoutes } from "./mails.ts";
import { mappingRoutes } from "./mappings.ts";
import { maskingRuleRoutes } from "./masking-rules.ts";
import { messageRoutes } from "./messages.ts";
import { metricRoutes } from "./metrics.ts";
import { noteRoutes } from "./notes.ts";
import { providerRoutes } from "./provider-sign-in.ts";
import { overviewRoutes } from "./overview.ts";
import { queueRoutes } from "./queues.ts";
import { reconciliationRoutes } from "./reconciliation.ts";
import { repairRoutes } from "./repair.ts";
import { retryQueueRoutes } from "./retry-queue.ts";
import { savedViewRoutes } from "./saved-views.ts";
import { scheduleRoutes } from "./schedules.ts";
import { searchRoutes } from "./search.ts";
import { sessionRoutes } from "./session.ts";
import { signUpRoutes } from "./sign-up.ts";
import { subtenantRoutes } from "./subtenants.ts";
import { tenantLimitRoutes } from "./tenant-limits.ts";
import { tenantRoutes } from "./tenants.ts";
import { toolboxRoutes } from "./toolbox.ts";
import { userRoutes } from "./users.ts";

/** Every route of the API. The gateway's and the hooks' are derived from the connector catalogue by the server. */
export const routes = {
  ...healthRoutes,
  ...sessionRoutes,
  ...accountRoutes,
  ...userRoutes,
  ...providerRoutes,
  ...signUpRoutes,
  ...mailRoutes,
  ...tenantRoutes,
  ...tenantLimitRoutes,
  ...subtenantRoutes,
  ...integrationPointRoutes,
  ...mappingRoutes,
  ...maskingRuleRoutes,
  ...apiKeyRoutes,
  ...comingSoonRoutes,
  ...connectorRoutes,
  ...queueRoutes,
  ...messageRoutes,
  ...deadLetterRoutes,
  ...repairRoutes,
  ...retryQueueRoutes,
  ...jobRoutes,
  ...bulkPatchRoutes,
  ...redirectRoutes,
  ...externalMessageRoutes,
  ...externalItemRoutes,
  ...entityRoutes,
  ...metricRoutes,
  ...alertRoutes,
  ...alertRuleRoutes,
  ...alertChannelRoutes,
  ...scheduleRoutes,
  ...reconciliationRoutes,
  ...exportRunRoutes,
  ...importRoutes,
  ...toolboxRoutes,
  ...noteRoutes,
  ...overviewRoutes,
  ...searchRoutes,
  ...savedViewRoutes,
  ...announcementRoutes,
  ...eventRoutes,
  ...auditEventRoutes,
  ...exportRoutes,
};
export type Routes = typeof routes;
