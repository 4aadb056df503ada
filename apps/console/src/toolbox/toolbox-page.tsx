import type { ToolboxOperation } from "@crossdock/contract";
import { getRouteApi } from "@tanstack/react-router";
import { Suspense } from "react";
import { lazyPart } from "../lazy-screen.ts";
import { useText } from "../i18n/i18n.tsx";
import { WithTenant } from "../layouts/with-tenant.tsx";
import { SelectField } from "../ui/field.tsx";
import { Card, PageHeader } from "../ui/page.tsx";
import { Loading } from "../ui/states.tsx";
import { History } from "./history.tsx";
import { operations, operationTexts } from "./texts.ts";

// One form is seen at a time.
const BulkOperation = lazyPart(() => import("./bulk-operation.tsx"));
const CheckConnection = lazyPart(() => import("./check-connection.tsx"));
const FetchNext = lazyPart(() => import("./fetch-next.tsx"));
const HandIn = lazyPart(() => import("./hand-in.tsx"));
const RebuildItems = lazyPart(() => import("./rebuild-items.tsx"));
const ReconcileTarget = lazyPart(() => import("./reconcile-target.tsx"));
const ResendMessage = lazyPart(() => import("./resend-message.tsx"));
const ResyncEntity = lazyPart(() => import("./resync-entity.tsx"));

const route = getRouteApi("/shell/toolbox");

export function ToolboxPage() {
  return <WithTenant>{(tenantCode) => <Toolbox key={tenantCode} tenantCode={tenantCode} />}</WithTenant>;
}

/** One operation at a time: its form, what it would do before it does it, and beside it what was run. */
function Toolbox({ tenantCode }: { tenantCode: string }) {
  const t = useText();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const operation = operations.find((known) => known === search.operation) ?? "resend";
  return (
    <>
      <PageHeader title={t("menu.toolbox")} hint={t("toolbox.hint")} />
      <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <Card className="min-w-0">
          <div className="grid gap-4 p-4">
            <SelectField
              label={t("toolbox.operation")}
              value={operation}
              onChange={(value) => void navigate({ search: { operation: value }, replace: true })}
              options={operations.map((value) => ({ value, label: t(operationTexts[value].name) }))}
            />
            <p className="text-muted">{t(operationTexts[operation].hint)}</p>
            <Suspense fallback={<Loading rows={2} />}>
              <OperationForm key={operation} tenantCode={tenantCode} operation={operation} messageId={search.message ?? ""} />
            </Suspense>
          </div>
        </Card>
        <Card title={t("toolbox.history")} className="min-w-0">
          <History tenantCode={tenantCode} />
        </Card>
      </div>
    </>
  );
}

type OperationFormProps = { tenantCode: string; operation: ToolboxOperation; messageId: string };

function OperationForm({ tenantCode, operation, messageId }: OperationFormProps) {
  switch (operation) {
    case "fetch-next":
      return <FetchNext tenantCode={tenantCode} />;
    case "resend":
      return <ResendMessage tenantCode={tenantCode} messageId={messageId} />;
    case "publish-test":
    case "validate":
      return <HandIn tenantCode={tenantCode} operation={operation} />;
    case "test-connection":
      return <CheckConnection tenantCode={tenantCode} />;
    case "resync":
      return <ResyncEntity tenantCode={tenantCode} />;
    case "reconcile":
      return <ReconcileTarget tenantCode={tenantCode} />;
    case "rebuild-external-items":
      return <RebuildItems tenantCode={tenantCode} />;
    default:
      return <BulkOperation tenantCode={tenantCode} operation={operation} />;
  }
}
