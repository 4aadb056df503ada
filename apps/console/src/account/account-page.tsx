import { useMutation, useQuery } from "@tanstack/react-query";
import { useFailureNotice } from "../api/failure-notice.ts";
import { useText } from "../i18n/i18n.tsx";
import { SessionList } from "../session/session-list.tsx";
import { Button } from "../ui/button.tsx";
import { noticeSuccess } from "../ui/notice.tsx";
import { Card, PageHeader } from "../ui/page.tsx";
import { ErrorState, Loading } from "../ui/states.tsx";
import { PasswordCard } from "./password-card.tsx";
import { ProfileCard } from "./profile-card.tsx";
import { revokeSession, sessionsQuery } from "./queries.ts";

export function AccountPage() {
  const t = useText();
  return (
    <>
      <PageHeader title={t("account.title")} hint={t("account.hint")} />
      <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-2">
        <ProfileCard />
        <PasswordCard />
        <Sessions />
      </div>
    </>
  );
}

function Sessions() {
  const t = useText();
  const { data: sessions, error, refetch } = useQuery(sessionsQuery);
  const onError = useFailureNotice();
  const revoke = useMutation({
    mutationFn: revokeSession,
    onSuccess: () => noticeSuccess(t("sessions.revoked")),
    onError,
    onSettled: () => refetch(),
  });
  return (
    <Card
      className="lg:col-span-2"
      title={t("sessions.title")}
      actions={
        sessions &&
        sessions.length > 1 && (
          <Button isBusy={revoke.isPending} onClick={() => revoke.mutate(null)}>
            {t("sessions.revokeOthers")}
          </Button>
        )
      }
    >
      {!sessions && (error ? <ErrorState detail={error.message} onRetry={() => void refetch()} /> : <Loading rows={2} />)}
      {sessions && <SessionList sessions={sessions} isBusy={revoke.isPending} onRevoke={(id) => revoke.mutate(id)} />}
    </Card>
  );
}
