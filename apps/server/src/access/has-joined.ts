/** Whether the person of a row of hub."user" has ever been able to sign in: who was only invited can do nothing yet. */
export const hasJoinedSql = `(password_hash is not null or exists (select from hub.identity where user_id = "user".id))`;
