import { Plus } from "lucide-react";
import { Suspense, useState } from "react";
import { lazyPart } from "./lazy-screen.ts";
import type { CodeAndName } from "./code-and-name-dialog.tsx";
import { useRoleReason } from "./session/role-texts.ts";
import { Button } from "./ui/button.tsx";

const CodeAndNameDialog = lazyPart(() => import("./code-and-name-dialog.tsx"));

type CreateByCodeProps = {
  title: string;
  hint: string;
  /** Ends when the console knows of what was made. */
  create: (values: CodeAndName) => Promise<void>;
};

/** An admin's button that makes something with a code and a name. */
export function CreateByCode(props: CreateByCodeProps) {
  const [isOpen, setIsOpen] = useState(false);
  const disabledReason = useRoleReason("administer");
  return (
    <>
      <Button look="primary" disabledReason={disabledReason} onClick={() => setIsOpen(true)}>
        <Plus aria-hidden className="size-4" />
        {props.title}
      </Button>
      <Suspense fallback={null}>{isOpen && <CodeAndNameDialog {...props} onClose={() => setIsOpen(false)} />}</Suspense>
    </>
  );
}
