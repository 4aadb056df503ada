import { z } from "zod";
import { type Dead, type OutboundRequest, dead } from "../connector.ts";
import { Text } from "../foreign.ts";
import { unlessAnothers } from "../found.ts";
import { Anything, delivered, next } from "../json-call.ts";
import { type Delivery, call, isComplete, listOf, searchCriteria } from "./call.ts";

const WithId = z.object({ id: z.int() });
const Customer = z.object({ id: z.int(), website_id: z.int().nullish(), firstname: Text, lastname: Text });
const CustomerList = listOf(Customer);

/** The store knows a customer by the address for mail, and in stores that keep their websites' customers apart by the website too. */
export function deliverCustomer(delivery: Delivery<"customer">): OutboundRequest | Dead {
  const { document, input, settings } = delivery;
  const missing = isComplete(delivery.credentials);
  if (missing) return missing;
  const email = document.email?.toLowerCase();
  if (email == null) return dead("not-supported", "the store knows customers by their address for mail, and this one has none");
  // The store asks for both names; one that the document doesn't say is the one that is there.
  const customerBeside = (known: { firstname: string | null; lastname: string | null }) => ({
    email,
    firstname: document.firstName ?? known.firstname ?? document.company ?? document.customerNumber,
    lastname: document.lastName ?? known.lastname ?? document.customerNumber,
    ...(document.vatNumber == null ? {} : { taxvat: document.vatNumber }),
    ...(document.acceptsMarketing == null ? {} : { extension_attributes: { is_subscribed: document.acceptsMarketing } }),
  });
  const website = settings.websiteId === undefined ? {} : { website_id: settings.websiteId };
  const create = (): OutboundRequest =>
    call(
      delivery,
      { method: "POST", path: "V1/customers", body: { customer: { ...customerBeside({ firstname: null, lastname: null }), ...website } } },
      WithId,
      (made) => delivered(String(made.id)),
    );
  // Without its website a customer would be moved to that of the store view.
  const update = ({ id, website_id: ownWebsite, ...names }: z.output<typeof Customer>): OutboundRequest =>
    call(
      delivery,
      {
        method: "PUT",
        path: `V1/customers/${id}`,
        body: { customer: { ...customerBeside(names), id, website_id: ownWebsite ?? settings.websiteId ?? 1 } },
      },
      Anything,
      () => delivered(String(id)),
    );
  if (input.externalId !== null && /^\d{1,12}$/.test(input.externalId))
    return call(delivery, { method: "GET", path: `V1/customers/${input.externalId}` }, Customer, (known) => next(update(known)));
  const path = `V1/customers/search?${searchCriteria([["email", "eq", email]], 100)}`;
  return call(delivery, { method: "GET", path }, CustomerList, ({ items }) => {
    const found = items.find(({ website_id: its }) => settings.websiteId === undefined || its == null || its === settings.websiteId);
    return found ? unlessAnothers(input.key, String(found.id), () => next(update(found))) : next(create());
  });
}
