import type { BodyOf, Routes } from "@crossdock/contract";
import { queryOptions } from "@tanstack/react-query";
import { api } from "../api/api.ts";

export const sessionsQuery = queryOptions({
  queryKey: ["own-sessions"],
  queryFn: ({ signal }) => api<Routes["listSessions"]>("GET", "/account/sessions", { signal }),
  select: ({ items }) => items,
});

type AccountChange = NonNullable<BodyOf<Routes["updateAccount"]>>;
type PasswordChange = NonNullable<BodyOf<Routes["changePassword"]>>;

export const updateAccount = (body: AccountChange) => api<Routes["updateAccount"]>("PATCH", "/account", { body });
export const setAvatar = (png: string) => api<Routes["setAvatar"]>("PUT", "/account/avatar", { body: { png } });
export const removeAvatar = () => api<Routes["removeAvatar"]>("DELETE", "/account/avatar");
export const changePassword = (body: PasswordChange) => api<Routes["changePassword"]>("POST", "/account/password", { body });

/** One of the caller's sessions, or all but the one that asks. */
export function revokeSession(sessionId: string | null): Promise<unknown> {
  if (sessionId === null) return api<Routes["revokeOtherSessions"]>("DELETE", "/account/sessions");
  return api<Routes["revokeOwnSession"]>("DELETE", "/account/sessions/:sessionId", { params: { sessionId } });
}
