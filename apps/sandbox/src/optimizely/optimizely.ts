import { type Personality, type Stage, hasToken, isWrong, jsonOf, ok, routed } from "../personality.ts";

/** Optimizely Configured Commerce: OData over orders that are its own; any number is one of them. */
export function optimizely(stage: Stage): Personality {
  const { shelves, tokens, tokenSeconds } = stage;
  const route = routed(
    {
      "GET /api/v1/admin/customerorders": ({ query }) => {
        const number = /orderNumber eq '([^']*)'/.exec(query.get("$filter") ?? "")?.[1];
        return ok({
          value: number === undefined ? shelves.list("orders") : [{ id: `guid-${number}`, orderNumber: number.replaceAll("''", "'") }],
        });
      },
      "PATCH /api/v1/admin/customerorders(:id)": (call, id) => ok(shelves.merge("orders", id ?? "", jsonOf(call))),
    },
    ok({ error: { code: "", message: "not found" } }, 404),
  );
  return {
    answer(call) {
      if (call.path !== "/identity/connect/token")
        return hasToken(call, stage) ? route(call) : ok({ error: { message: "Unauthorized" } }, 401);
      return isWrong(new URLSearchParams(call.body).get("password") ?? "")
        ? ok({ error: "invalid_grant" }, 400)
        : ok({ access_token: tokens.make(), expires_in: tokenSeconds() });
    },
    throttled: () => ok({ error: { message: "Too many requests" } }, 429),
    refusedSoftly: () => ok({ error: { message: "The order does not exist" } }, 400),
  };
}
