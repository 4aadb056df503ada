import { createHash } from "node:crypto";
import type { Customer } from "@crossdock/contract";
import { z } from "zod";
import { verdictOfStatus } from "../answers.ts";
import type { OutboundRequest, Verdict } from "../connector.ts";
import { addressForShop } from "./addresses.ts";
import { type Delivery, Id, call } from "./call.ts";
import { defaultFirst } from "../addresses.ts";
import { unlessAnothers } from "../found.ts";
import { Anything, later, next } from "../json-call.ts";
import { stated } from "../stated.ts";
import { tagsOf } from "./texts.ts";

const CustomerAnswer = z.object({ customer: z.object({ id: Id }) });
const CustomersAnswer = z.object({
  customers: z.array(z.object({ id: Id, email: z.string().nullish(), phone: z.string().nullish(), tags: z.string().nullish() })),
});

/** Unknown customers are looked up by what the shop takes only once, or else by a tag with their number: a create must not be repeated. */
export function deliverCustomer(delivery: Delivery<Customer>): OutboundRequest {
  const { document, input } = delivery;
  if (input.externalId !== null && /^\d{1,16}$/.test(input.externalId)) return update(delivery, input.externalId);
  const email = document.email?.trim().toLowerCase() ?? "";
  const phone = digitsOf(document.phone);
  const [field, value] =
    email !== ""
      ? ["email", email]
      : phone !== ""
        ? ["phone", `${document.phone?.trim().startsWith("+") ? "+" : ""}${phone}`]
        : ["tag", numberTag(document)];
  const query = new URLSearchParams({ query: `${field}:"${value.replace(/["\\]/g, "")}"`, fields: "id,email,phone,tags" });
  return call(delivery, { method: "GET", path: `customers/search.json?${query.toString()}` }, CustomersAnswer, ({ customers }) => {
    const found = customers.find((customer) => {
      if (email !== "") return customer.email?.toLowerCase() === email;
      return phone !== "" ? digitsOf(customer.phone) === phone : (tagsOf(customer.tags) ?? []).includes(numberTag(document));
    });
    return found ? unlessAnothers(input.key, found.id, () => next(update(delivery, found.id))) : next(create(delivery));
  });
}

function digitsOf(phone: string | null | undefined): string {
  return (phone ?? "").replace(/\D/g, "");
}

/**
 * Tags hold no commas, and 40 characters at most. A number that makes none has its hash there, or it would be taken for another one that begins
 * alike.
 */
function numberTag({ customerNumber }: Customer): string {
  const tag = `customer ${customerNumber}`;
  if (tag.length <= 40 && !tag.includes(",")) return tag;
  return `customer ${createHash("sha256").update(customerNumber).digest("hex").slice(0, 31)}`;
}

function create(delivery: Delivery<Customer>): OutboundRequest {
  const { document } = delivery;
  // The shop takes the first one for the default.
  const addresses = defaultFirst(document.addresses).map(addressForShop);
  const customer = { ...newFields(document), addresses, verified_email: true, send_email_welcome: false };
  const request = call(delivery, { method: "POST", path: "customers.json", body: { customer } }, CustomerAnswer, (answer) => ({
    kind: "delivered",
    externalId: answer.customer.id,
  }));
  return { ...request, read: (response) => unlessTaken(request.read?.(response) ?? verdictOfStatus(response)) };
}

/** The search didn't find the customer whose address for mail this is: it comes after the shop's changes by some seconds. */
function unlessTaken(verdict: Verdict): Verdict {
  if (verdict.kind !== "dead" || !/\bemail has already been taken\b/i.test(verdict.error.message)) return verdict;
  return later("customer-not-found-yet", "the shop has a customer of this address for mail, and doesn't find it yet");
}

/** Addresses are left alone: Shopify keeps those that people entered there. */
function update(delivery: Delivery<Customer>, id: string): OutboundRequest {
  const customer = { id: Number(id), ...fields(delivery.document) };
  return call(delivery, { method: "PUT", path: `customers/${id}.json`, body: { customer } }, Anything, () => ({
    kind: "delivered",
    externalId: id,
  }));
}

/** A customer needs a name, a phone or an address for mail; one that has none is known by its number. */
function newFields(customer: Customer) {
  const isNameless = [customer.email, customer.phone, customer.firstName, customer.lastName].every((value) => !value);
  const isTagged = !customer.email && digitsOf(customer.phone) === "";
  const tags = [...(customer.tags ?? []), ...(isTagged ? [numberTag(customer)] : [])];
  return {
    ...fields(customer),
    ...(isNameless && { last_name: customer.company ?? customer.customerNumber }),
    tags: tags.join(", "),
  };
}

function fields(customer: Customer) {
  const { acceptsMarketing } = customer;
  return stated({
    email: customer.email,
    phone: customer.phone,
    first_name: customer.firstName,
    last_name: customer.lastName,
    note: customer.note,
    tags: customer.tags?.join(", "),
    // Consent to mail without an address for it is refused, and the customer with it.
    email_marketing_consent:
      acceptsMarketing == null || !customer.email
        ? null
        : { state: acceptsMarketing ? "subscribed" : "unsubscribed", opt_in_level: "single_opt_in" },
  });
}
