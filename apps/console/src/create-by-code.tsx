import { useMutation } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { Suspense, useState } from "react";
import { lazyPart } from "./lazy-screen.ts";
import type { CodeAndName } from "./code-and-name-dialog.tsx";
import { useText } from "./i18n/i18n.tsx";
import { useRoleReason } from "./session/role-texts.ts";
import { Button } from "./ui/button.tsx";
import { noticeSuccess } from "./ui/notice.tsx";

const CodeAndNameDialog = lazyPart(() => import("./code-and-name-dialog.tsx"));

type CreateByCodeProps = {
  title: string;
  hint: string;
  /** Ends when the console knows of what was made. */
  create: (values: CodeAndName) => Promise<void>;
};

/** An admin's button that makes something with a code and a name. */
export function CreateByCode({ title, hint, create }: CreateByCodeProps) {
  const t = useText();
  const [isOpen, setIsOpen] = useState(false);
  const disabledReason = useRoleReason("administer");
  const creating = useMutation({
    mutationFn: create,
    onSuccess: () => noticeSuccess(t("notice.saved")),
  });
  return (
    <>
      <Button look="primary" disabledReason={disabledReason} onClick={() => setIsOpen(true)}>
        <Plus aria-hidden className="size-4" />
        {title}
      </Button>
      <Suspense fallback={null}>
        {isOpen && (
          <CodeAndNameDialog
            title={title}
            hint={hint}
            isBusy={creating.isPending}
            error={creating.error}
            onSave={(values) => creating.mutate(values, { onSuccess: () => setIsOpen(false) })}
            onClose={() => {
              creating.reset();
              setIsOpen(false);
            }}
          />
        )}
      </Suspense>
    </>
  );
}
