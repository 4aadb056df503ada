import type { z } from "zod";
import type { Dead, OutboundRequest, Pull, PullInput, Retry, TargetResponse } from "../connector.ts";
import { Anything, type Call } from "../json-call.ts";
import { accessOf } from "./access.ts";
import { call, judge } from "./call.ts";
import type { Credentials, Settings } from "./settings.ts";

/** What every question of a pull knows. */
export type Context = Shop & Pick<PullInput, "cursor" | "now">;
export type Told = ReturnType<Pull["read"]>;

type Shop = { settings: Settings; credentials: Credentials };
type Question<Answered> = { request: OutboundRequest; read: (response: TargetResponse) => Answered | Retry | Dead };

/** One question to the shop; `read` says what its answer means and is asked for answers of the expected form only. */
export function ask<Answer extends z.ZodType, Answered>(
  shop: Shop,
  asked: Call,
  answer: Answer,
  read: (answer: z.output<Answer>, response: TargetResponse) => Answered,
): Question<Answered> | Dead {
  const access = accessOf(shop);
  if ("kind" in access) return access;
  const request = call({ settings: shop.settings, access }, asked, Anything, () => ({ kind: "delivered" }));
  return { request, read: (response) => judge(response, answer, (known) => read(known, response)) };
}

/** The question that an answer leads to. */
export function following(next: Pull | Dead): Told {
  return "kind" in next ? next : { kind: "pull", pull: next };
}
