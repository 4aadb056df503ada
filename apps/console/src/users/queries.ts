import type { BodyOf, Routes, User, UserState } from "@crossdock/contract";
import { queryOptions } from "@tanstack/react-query";
import { allOf } from "../all-of.ts";
import { api } from "../api/api.ts";
import { exportOf } from "../exporting.ts";
import { personRoles } from "../session/role-texts.ts";
import { listQuery, type PageReader } from "../ui/list-query.ts";
import type { UserSearch } from "./search.ts";

export const userStates = allOf<UserState>()(["active", "invited", "disabled"]);

/** A person as a row of a list. */
export type UserRow = Omit<User, "id"> & { id: string };

/** A value of the address that is none is left out. */
function filterOf({ search, role, state, tenant }: UserSearch) {
  return { search, role: personRoles.find((one) => one === role), state: userStates.find((one) => one === state), tenant };
}

export function userExport(search: UserSearch) {
  return exportOf<Routes["exportUsers"]>("/users/export", { query: filterOf(search) });
}

const rowOf = (user: User): UserRow => ({ ...user, id: String(user.id) });

function userPages(search: UserSearch): PageReader<UserRow> {
  return async (cursor, limit, signal) => {
    const query = { ...filterOf(search), ...(cursor && { cursor }), limit };
    const page = await api<Routes["listUsers"]>("GET", "/users", { query, signal });
    return { items: page.items.map(rowOf), nextCursor: page.nextCursor };
  };
}

export function usersQuery({ search, role, state, tenant }: UserSearch) {
  const filter = { ...(search && { search }), ...(role && { role }), ...(state && { state }), ...(tenant && { tenant }) };
  return listQuery(["users", filter], userPages(filter));
}

export function userQuery(userId: string) {
  return queryOptions({
    queryKey: ["users", "one", userId],
    queryFn: async ({ signal }) => rowOf(await api<Routes["getUser"]>("GET", "/users/:userId", { ...at(userId), signal })),
  });
}

export function userSessionsQuery(userId: string) {
  return queryOptions({
    queryKey: ["user-sessions", userId],
    queryFn: ({ signal }) =>
      api<Routes["listUserSessions"]>("GET", "/users/:userId/sessions", { params: { userId: Number(userId) }, signal }),
    select: ({ items }) => items,
  });
}

export type NewUser = NonNullable<BodyOf<Routes["inviteUser"]>>;
export type RightsChange = Pick<NonNullable<BodyOf<Routes["updateUser"]>>, "role" | "isActive">;

export const inviteUser = (body: NewUser) => api<Routes["inviteUser"]>("POST", "/users", { body });

const at = (userId: string) => ({ params: { userId: Number(userId) } });

export const inviteUserAgain = (userId: string) => api<Routes["inviteUserAgain"]>("POST", "/users/:userId/invitation", at(userId));

export const revokeInvitation = (userId: string) => api<Routes["revokeInvitation"]>("DELETE", "/users/:userId/invitation", at(userId));

/** Refused when another admin was faster: a role or state is chosen over the one that stands there. */
export const updateUser = (userId: string, body: RightsChange, ifVersion: number) =>
  api<Routes["updateUser"]>("PATCH", "/users/:userId", { ...at(userId), body, ifVersion });

export type GrantsChange = { grant: string[]; withdraw: string[] };

export function grantsChangeOf(before: string[], after: string[]): GrantsChange {
  return { grant: after.filter((code) => !before.includes(code)), withdraw: before.filter((code) => !after.includes(code)) };
}

/** No more than what was clicked, and so without a version: what another admin has granted and taken meanwhile stays. */
export const changeGrants = (userId: string, body: GrantsChange) =>
  api<Routes["updateUser"]>("PATCH", "/users/:userId", { ...at(userId), body });

/** One session, or all of them. */
export function revokeSession(userId: string, sessionId: string | null): Promise<unknown> {
  if (sessionId === null) return api<Routes["revokeUserSessions"]>("DELETE", "/users/:userId/sessions", at(userId));
  return api<Routes["revokeUserSession"]>("DELETE", "/users/:userId/sessions/:sessionId", {
    params: { userId: Number(userId), sessionId },
  });
}
