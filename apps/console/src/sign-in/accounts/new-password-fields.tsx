import { useText } from "../../i18n/i18n.tsx";
import { TextField } from "../../ui/field.tsx";

type NewPasswordFieldsProps = { label: string; errorOf: (field: string) => string | undefined };

/** A new password and its repetition. */
export function NewPasswordFields({ label, errorOf }: NewPasswordFieldsProps) {
  const t = useText();
  return (
    <>
      <div>
        <TextField id="password" name="password" type="password" autoComplete="new-password" label={label} error={errorOf("password")} />
        <p className="mt-1 text-xs text-muted">{t("signUp.passwordHint")}</p>
      </div>
      <TextField
        id="retype"
        name="retype"
        type="password"
        autoComplete="new-password"
        label={t("signUp.retype")}
        error={errorOf("retype")}
      />
    </>
  );
}
