import type { Routes } from "@crossdock/contract";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { api } from "../api.ts";
import type { CodeAndName } from "../code-and-name-dialog.tsx";
import { useText } from "../i18n/i18n.tsx";
import { useIsPermitted } from "../session.ts";
import { Button } from "../ui/button.tsx";
import { noticeSuccess } from "../ui/notice.tsx";
import { subtenantsQuery } from "../workspace.ts";

const CodeAndNameDialog = lazy(() => import("../code-and-name-dialog.tsx"));

/** One more brand, shop or market of the tenant. */
export function CreateSubtenant({ tenantCode }: { tenantCode: string }) {
  const t = useText();
  const client = useQueryClient();
  const [isOpen, setIsOpen] = useState(false);
  const disabledReason = useIsPermitted("administer") ? null : t("role.adminOnly");
  const create = useMutation({
    mutationFn: (body: CodeAndName) =>
      api<Routes["createSubtenant"]>("POST", "/tenants/:tenantCode/subtenants", { params: { tenantCode }, body }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: subtenantsQuery(tenantCode).queryKey });
      noticeSuccess(t("notice.saved"));
      setIsOpen(false);
    },
  });
  return (
    <>
      <Button look="primary" disabledReason={disabledReason} onClick={() => setIsOpen(true)}>
        <Plus aria-hidden className="size-4" />
        {t("subtenants.create")}
      </Button>
      <Suspense fallback={null}>
        {isOpen && (
          <CodeAndNameDialog
            title={t("subtenants.create")}
            hint={t("subtenants.createHint")}
            isBusy={create.isPending}
            error={create.error}
            onSave={(values) => create.mutate(values)}
            onClose={() => {
              create.reset();
              setIsOpen(false);
            }}
          />
        )}
      </Suspense>
    </>
  );
}
