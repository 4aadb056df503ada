import { useId, useState, type ReactNode } from "react";
import { useText } from "../i18n/i18n.tsx";
import { TextField } from "../ui/field.tsx";

type Needed = { tenantCode: string; isReasonNeeded: boolean; isCodeNeeded: boolean };
type Confirmation = {
  fields: ReactNode;
  given: { reason?: string; confirmation?: string };
  /** Why it can't be sent yet. */
  disabledReason: string | null;
};

/** Reason and, for what is large, the tenant's code: what a click alone would do too quickly. */
export function useConfirmation({ tenantCode, isReasonNeeded, isCodeNeeded }: Needed): Confirmation {
  const t = useText();
  const id = useId();
  const [reason, setReason] = useState("");
  const [typed, setTyped] = useState("");
  const isTyped = !isCodeNeeded || typed.trim() === tenantCode;
  const isReasoned = !isReasonNeeded || reason.trim() !== "";
  return {
    fields: (
      <>
        <TextField
          id={`${id}-reason`}
          label={isReasonNeeded ? `${t("bulk.reason")} *` : t("bulk.reasonOptional")}
          value={reason}
          maxLength={500}
          autoComplete="off"
          onChange={(event) => setReason(event.target.value)}
        />
        {isCodeNeeded && (
          <TextField
            id={`${id}-word`}
            label={t("confirm.type", { word: tenantCode })}
            value={typed}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => setTyped(event.target.value)}
          />
        )}
      </>
    ),
    given: { ...(reason.trim() !== "" && { reason: reason.trim() }), ...(isCodeNeeded && { confirmation: typed.trim() }) },
    disabledReason: !isReasoned ? t("bulk.reasonFirst") : isTyped ? null : t("confirm.typeFirst"),
  };
}
