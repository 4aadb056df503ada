import { useText } from "../../i18n/i18n.tsx";
import { TextField } from "../../ui/field.tsx";

/** The six digits of a mail. One field, so that they can be pasted, and filled in by what reads mails. */
export function PinField({ error }: { error: string | undefined }) {
  const t = useText();
  return (
    <TextField
      id="pin"
      name="pin"
      type="text"
      dir="ltr"
      inputMode="numeric"
      autoComplete="one-time-code"
      maxLength={12}
      label={t("confirmSignup.pin")}
      error={error}
    />
  );
}
