import type { Routes } from "@crossdock/contract";
import { exportOf } from "../exporting.ts";

export function subtenantExport(tenantCode: string) {
  return exportOf<Routes["exportSubtenants"]>("/tenants/:tenantCode/subtenants/export", { params: { tenantCode }, query: {} });
}
