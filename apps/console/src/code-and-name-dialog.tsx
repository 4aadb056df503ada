import { useMutation } from "@tanstack/react-query";
import { useId, useState, type FormEvent } from "react";
import { useText } from "./i18n/i18n.tsx";
import { ApiError } from "./api/problem.ts";
import { TextField } from "./ui/field.tsx";
import { FormFooter } from "./ui/form-footer.tsx";
import { Modal } from "./ui/modal.tsx";
import { noticeSuccess } from "./ui/notice.tsx";

export type CodeAndName = { code: string; name: string };

type CodeAndNameDialogProps = {
  title: string;
  hint: string;
  create: (values: CodeAndName) => Promise<void>;
  onClose: () => void;
};

const codePattern = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** Something new that has a code, which stands in addresses for good, and a name. */
export default function CodeAndNameDialog({ title, hint, create, onClose }: CodeAndNameDialogProps) {
  const t = useText();
  const id = useId();
  const [code, setCode] = useState("");
  const [name, setName] = useState("");
  const creating = useMutation({
    mutationFn: create,
    onSuccess: (_, made) => {
      noticeSuccess(t("notice.created", { name: made.name }));
      onClose();
    },
  });
  const { error, isPending: isBusy } = creating;
  const isCodeWrong = code !== "" && !codePattern.test(code);
  const isReady = codePattern.test(code) && name.trim() !== "";
  const isTaken = error instanceof ApiError && error.problem.code === "already-exists";

  function save(event: FormEvent): void {
    event.preventDefault();
    if (isReady && !isBusy) creating.mutate({ code, name: name.trim() });
  }

  return (
    <Modal title={title} description={hint} onClose={onClose}>
      <form noValidate onSubmit={save} className="mt-4 grid gap-4">
        <TextField
          id={`${id}-code`}
          label={t("configuration.code")}
          dir="ltr"
          maxLength={63}
          value={code}
          error={isTaken ? t("configuration.fault.exists") : isCodeWrong ? t("tenants.codeWrong") : undefined}
          onChange={(event) => setCode(event.target.value)}
        />
        <TextField
          id={`${id}-name`}
          label={t("tenants.name")}
          maxLength={200}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <FormFooter
          action={t("action.save")}
          isBusy={isBusy}
          disabledReason={isReady ? null : t("tenants.codeAndName")}
          refusal={!isTaken && error?.message}
        />
      </form>
    </Modal>
  );
}
