import type { z } from "zod";
import type { Dead, OutboundRequest, PullInput, TargetResponse, Told } from "../connector.ts";
import { Anything, type Call } from "../json-call.ts";
import { accessOf } from "./access.ts";
import { call, judge } from "./call.ts";
import type { Credentials, Settings } from "./settings.ts";

export type Shop = { settings: Settings; credentials: Credentials };
/** What every question of a pull knows. */
export type Context = Shop & Pick<PullInput, "cursor" | "now">;

export type Answer<Answered> = Told<Answered, Question<Answered>>;
export type Question<Answered> = { request: OutboundRequest; read: (response: TargetResponse) => Answer<Answered> };

/** One question to the shop; `read` says what its answer means and is asked for answers of the expected form only. */
export function ask<Form extends z.ZodType, Answered>(
  shop: Shop,
  asked: Call,
  form: Form,
  read: (answer: z.output<Form>, response: TargetResponse) => Answer<Answered>,
): Question<Answered> | Dead {
  const access = accessOf(shop);
  if ("kind" in access) return access;
  const request = call({ settings: shop.settings, access }, asked, Anything, () => ({ kind: "delivered" }));
  return { request, read: (response) => judge(response, form, (known) => read(known, response)) };
}

/** The question that an answer leads to. */
export function following<Answered>(next: Question<Answered> | Dead): Answer<Answered> {
  return "kind" in next ? next : { kind: "question", question: next };
}
