import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useFailureNotice } from "../api/failure-notice.ts";
import { useText } from "../i18n/i18n.tsx";
import { personRoles, roleTexts } from "../session/role-texts.ts";
import { useUser } from "../session/session.ts";
import { SessionList } from "../session/session-list.tsx";
import { Button, buttonClass } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { SelectField } from "../ui/field.tsx";
import { Drawer } from "../ui/drawer.tsx";
import { Modal } from "../ui/modal.tsx";
import { noticeSuccess } from "../ui/notice.tsx";
import { Card, Facts } from "../ui/page.tsx";
import { EmptyState, Loading } from "../ui/states.tsx";
import { Time } from "../ui/time.tsx";
import { GrantsField } from "./grants-field.tsx";
import { InvitedModal } from "./invite-dialog.tsx";
import {
  changeGrants,
  grantsChangeOf,
  inviteUserAgain,
  revokeInvitation,
  revokeSession,
  updateUser,
  userSessionsQuery,
  type GrantsChange,
  type RightsChange,
  type UserRow,
} from "./queries.ts";
import { StateChip } from "./user-columns.tsx";

type UserPanelProps = {
  user: UserRow;
  onClose: () => void;
  onPrevious: (() => void) | null;
  onNext: (() => void) | null;
  onChanged: () => void;
};

/** One person: what they may do, and where they are signed in. */
export default function UserPanel({ user, onChanged, ...place }: UserPanelProps) {
  const t = useText();
  const isSelf = useUser()?._id === user.id;
  const told = (takeBack: () => void) => noticeSuccess(t("users.changed"), { label: t("action.undo"), run: takeBack });
  const after = { onError: useFailureNotice(), onSettled: onChanged };
  const grants = useMutation({
    mutationFn: (body: GrantsChange) => changeGrants(user.id, body),
    onSuccess: (_user, { grant, withdraw }) => told(() => grants.mutate({ grant: withdraw, withdraw: grant })),
    ...after,
  });
  const change = useMutation({
    mutationFn: ({ body, version }: { body: RightsChange; before: RightsChange; version: number }) => updateUser(user.id, body, version),
    onSuccess: ({ version }, { body, before }) => told(() => change.mutate({ body: before, before: body, version })),
    ...after,
  });
  // The list may be about to bring the version that a change from here has made.
  const version = Math.max(user.version, grants.data?.version ?? 0, change.data?.version ?? 0);
  const isDisabled = user.state === "disabled";
  const ownReason = isSelf ? t("problem.ownAccount") : null;
  return (
    <Drawer isOpen title={user.email} {...place}>
      <div className="grid gap-4">
        <Card>
          <Facts
            facts={[
              { name: t("users.name"), value: user.name || "–" },
              { name: t("filter.state"), value: <StateChip state={user.state} /> },
              { name: t("sessions.lastSeen"), value: user.lastSeenAt === null ? "–" : <Time at={user.lastSeenAt} /> },
              ...(user.state === "invited"
                ? [{ name: t("users.linkUntil"), value: user.invitedUntil === null ? "–" : <Time at={user.invitedUntil} /> }]
                : []),
              { name: t("users.since"), value: <Time at={user.createdAt} /> },
            ]}
          />
        </Card>
        <Card title={t("users.rights")}>
          <div className="grid gap-4 p-4">
            {isSelf ? (
              <p className="text-muted">{ownReason}</p>
            ) : (
              <SelectField
                label={t("users.role")}
                value={user.role}
                onChange={(value) =>
                  change.mutate({ body: { role: personRoles.find((role) => role === value) }, before: { role: user.role }, version })
                }
                options={personRoles.map((value) => ({ value, label: t(roleTexts[value]) }))}
              />
            )}
            {user.role === "admin" ? (
              <p className="text-muted">{t("users.everyTenant")}</p>
            ) : (
              <GrantsField
                granted={user.tenants}
                isDisabled={grants.isPending}
                onChange={(tenants) => grants.mutate(grantsChangeOf(user.tenants, tenants))}
              />
            )}
            <div className="flex flex-wrap gap-2">
              {user.state === "invited" && (
                <>
                  <InviteAgain user={user} onChanged={onChanged} />
                  <RevokeInvitation user={user} onChanged={onChanged} />
                </>
              )}
              <Button
                look={isDisabled ? "quiet" : "danger"}
                isBusy={change.isPending}
                disabledReason={ownReason}
                onClick={() => change.mutate({ body: { isActive: isDisabled }, before: { isActive: !isDisabled }, version })}
              >
                {t(isDisabled ? "users.enable" : "users.disable")}
              </Button>
              <Link to="/audit-log" search={{ actor: user.name || user.email }} className={buttonClass()}>
                {t("users.activity")}
              </Link>
            </div>
          </div>
        </Card>
        <Sessions user={user} onChanged={onChanged} />
      </div>
    </Drawer>
  );
}

function InviteAgain({ user, onChanged }: { user: UserRow; onChanged: () => void }) {
  const t = useText();
  const onError = useFailureNotice();
  const again = useMutation({
    mutationFn: () => inviteUserAgain(user.id),
    onError,
    onSettled: onChanged,
  });
  return (
    <>
      <Button onClick={() => again.mutate()}>{t("users.newLink")}</Button>
      {again.isPending && (
        <Modal title={t("users.newLink")} onClose={again.reset} isHeld>
          <Loading rows={2} />
        </Modal>
      )}
      {again.data && <InvitedModal answer={again.data} onClose={again.reset} />}
    </>
  );
}

/** Revoking an invitation removes a person who has never signed in. */
function RevokeInvitation({ user, onChanged }: { user: UserRow; onChanged: () => void }) {
  const t = useText();
  const [isAsking, setIsAsking] = useState(false);
  const revoke = useMutation({
    mutationFn: () => revokeInvitation(user.id),
    onSuccess: () => noticeSuccess(t("users.invitationRevoked")),
    onSettled: onChanged,
  });
  return (
    <>
      <Button look="danger" onClick={() => setIsAsking(true)}>
        {t("users.revokeInvitation")}
      </Button>
      {isAsking && (
        <ConfirmDialog
          onClose={() => setIsAsking(false)}
          title={t("users.revokeInvitation")}
          text={t("users.revokeInvitationHint", { email: user.email })}
          actionLabel={t("sessions.revoke")}
          look="danger"
          onConfirm={() => revoke.mutateAsync().then(() => setIsAsking(false))}
        />
      )}
    </>
  );
}

function Sessions({ user, onChanged }: { user: UserRow; onChanged: () => void }) {
  const t = useText();
  const { data: sessions, refetch } = useQuery(userSessionsQuery(user.id));
  const onError = useFailureNotice();
  const revoke = useMutation({
    mutationFn: (sessionId: string | null) => revokeSession(user.id, sessionId),
    onSuccess: () => noticeSuccess(t("sessions.revoked")),
    onError,
    onSettled: () => {
      onChanged();
      return refetch();
    },
  });
  const hasOthers = sessions?.some(({ isCurrent }) => !isCurrent) ?? false;
  return (
    <Card
      title={t("sessions.title")}
      actions={
        hasOthers && (
          <Button isBusy={revoke.isPending} onClick={() => revoke.mutate(null)}>
            {t("sessions.revokeAll")}
          </Button>
        )
      }
    >
      {!sessions && <Loading rows={2} />}
      {sessions?.length === 0 && <EmptyState title={t("sessions.none")} />}
      {sessions && sessions.length > 0 && (
        <SessionList sessions={sessions} isBusy={revoke.isPending} onRevoke={(id) => revoke.mutate(id)} />
      )}
    </Card>
  );
}
