import type { UserSession } from "@crossdock/contract";
import { Monitor } from "lucide-react";
import { useText } from "../i18n/i18n.tsx";
import { Button } from "../ui/button.tsx";
import { Chip } from "../ui/chip.tsx";
import { Time } from "../ui/time.tsx";

type SessionListProps = { sessions: UserSession[]; isBusy: boolean; onRevoke: (sessionId: string) => void };

/** Where somebody is signed in. The session that looks at the list can't end itself here: that is what signing out is for. */
export function SessionList({ sessions, isBusy, onRevoke }: SessionListProps) {
  const t = useText();
  return (
    <ul className="divide-y divide-line">
      {sessions.map((session) => (
        <li key={session.id} className="flex flex-wrap items-center gap-3 px-4 py-3">
          <Monitor aria-hidden className="size-5 shrink-0 text-muted" />
          <div className="min-w-0 flex-1 basis-48">
            <p className="flex flex-wrap items-center gap-2 font-medium">
              <span dir="auto">{agentName(session.userAgent) ?? t("sessions.unknown")}</span>
              {session.isCurrent && <Chip tone="info">{t("sessions.current")}</Chip>}
            </p>
            <p className="text-xs text-muted">
              {session.address && (
                <>
                  <bdi>{session.address}</bdi> ·{" "}
                </>
              )}
              {t("sessions.lastSeen")} <Time at={session.lastSeenAt} />
            </p>
          </div>
          {!session.isCurrent && (
            <Button isBusy={isBusy} onClick={() => onRevoke(session.id)}>
              {t("sessions.revoke")}
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}

/** Browser and system as far as the user agent tells them in clear words. */
function agentName(userAgent: string | null): string | null {
  if (userAgent === null || userAgent === "") return null;
  const browser = /(Edg|OPR|Firefox|Chrome|Safari)\/(\d+)/.exec(userAgent);
  const system = /Windows|Mac OS X|Android|iPhone|iPad|Linux/.exec(userAgent)?.[0];
  if (!browser) return userAgent.slice(0, 60);
  const names: Record<string, string> = { Edg: "Edge", OPR: "Opera" };
  const [, code = "", version = ""] = browser;
  return [`${names[code] ?? code} ${version}`, system].filter(Boolean).join(" · ");
}
