import { useText } from "../i18n/i18n.tsx";
import { personRoles, roleTexts } from "./role-texts.ts";
import { useUser } from "./session.ts";

/** What one may do: the strongest of one's roles. */
export function RoleChip({ className }: { className: string }) {
  const t = useText();
  const roles = useUser()?.role ?? [];
  const role = personRoles.findLast((candidate) => roles.includes(candidate)) ?? "viewer";
  return (
    <span className={`rounded-full border border-line px-2.5 py-0.5 text-xs font-medium text-muted ${className}`}>
      {t(roleTexts[role])}
    </span>
  );
}
