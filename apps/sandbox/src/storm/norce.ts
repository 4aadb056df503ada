import { type Personality, type Stage, fieldsOf, hasToken, isWrong, listOf, ok, routed, textOf } from "../personality.ts";

/** Norce Connect: imports answer with a job's id; a full file would deactivate what it doesn't hold. */
export function storm(stage: Stage): Personality {
  const { shelves, tokens, tokenSeconds } = stage;
  let isNextRefused = false;
  const importer = (kind: string, key: string) => (call: { body: string; headers: Record<string, string> }) => {
    const control = fieldsOf(JSON.parse(call.headers["x-stormconnect-header"] ?? "{}"));
    const rows: unknown = JSON.parse(call.body);
    const isRefused = isNextRefused || control["FullFile"] !== false;
    isNextRefused = false;
    if (!isRefused) for (const row of listOf(rows)) shelves.merge(kind, textOf(row[key]), row);
    return ok(shelves.add("jobs", { rounds: 0, isRefused }).id);
  };
  const route = routed(
    {
      "POST /Product/ImportProducts": importer("products", "Code"),
      "POST /Product/ImportSkuPriceLists": importer("prices", "PartNo"),
      "POST /Product/ImportOnhands": importer("stock", "PartNo"),
      "GET /Job/ListJobs": () => ok([]),
      "GET /Job/GetJob": ({ query }) => {
        const id = query.get("jobId") ?? "";
        const job = fieldsOf(shelves.of("jobs").get(id));
        const rounds = Number(job["rounds"] ?? 0) + 1;
        shelves.merge("jobs", id, { rounds });
        if (rounds < 2) return ok({ Status: "Running" });
        return ok(job["isRefused"] === true ? { Status: "Failed", Message: "The manufacturer does not exist" } : { Status: "Completed" });
      },
    },
    ok({ message: "not found" }, 404),
  );
  return {
    answer(call) {
      if (call.path !== "/token") return hasToken(call, stage) ? route(call) : ok({ message: "Unauthorized" }, 401);
      const secret = Buffer.from((call.headers["authorization"] ?? "").replace(/^Basic /, ""), "base64").toString();
      return isWrong(secret) ? ok({ error: "invalid_client" }, 400) : ok({ access_token: tokens.make(), expires_in: tokenSeconds() });
    },
    throttled: () => ok({ message: "Too many requests" }, 429),
    refusedSoftly(call) {
      isNextRefused = true;
      return this.answer(call);
    },
  };
}
