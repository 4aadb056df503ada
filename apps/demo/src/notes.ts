import type { Client } from "./client.ts";

type Remark = {
  authorName: string;
  text: string;
  /** Id of a message of which the text is true; undefined while there is none. */
  find: (client: Client, params: { tenantCode: string }) => Promise<string | undefined>;
};

/** What four colleagues wrote in their service desk, which hands it in here under its own key. */
const remarks: Remark[] = [
  {
    authorName: "Maria Lee",
    text: "The customer asked where this order is. It went through on our side, so I sent them the time of delivery from the attempts below.",
    find: async (client, params) =>
      (await client.call("listMessages", { params, query: { entityType: "order", state: ["delivered"], limit: 1 } })).items[0]?.id,
  },
  {
    authorName: "George Bailey",
    text: "This target has been failing now and then today. The retries get through, nothing to do here.",
    find: async (client, params) => (await client.call("listRetryQueue", { params, query: { limit: 1 } })).items[0]?.id,
  },
  {
    authorName: "John Matthew",
    text: "Not lost: a newer stock level overtook this one while the target was down, so there was no need to send it.",
    find: async (client, params) =>
      (await client.call("listMessages", { params, query: { state: ["superseded"], entityType: "stock", limit: 1 } })).items[0]?.id,
  },
  {
    authorName: "Angelina Joew",
    text: "The tax code “books” has no mapping yet. I asked finance for the rate; with the mapping in place the whole group can be requeued.",
    find: async (client, params) => {
      const { items } = await client.call("listDeadLetters", { params, query: { limit: 500 } });
      return items.find(({ errorClass }) => errorClass === "mapping-missing")?.id;
    },
  },
];

/** Leaves those remarks that are missing and have a message by now. True when all are there. */
export async function leaveNotes(serviceDesk: Client, tenantCode: string): Promise<boolean> {
  const params = { tenantCode };
  const { items } = await serviceDesk.call("listNotes", { params, query: { limit: 500 } });
  const missing = remarks.filter(({ authorName }) => !items.some((note) => note.authorName === authorName));
  let left = 0;
  for (const { authorName, text, find } of missing) {
    const messageId = await find(serviceDesk, params);
    if (messageId === undefined) continue;
    await serviceDesk.call("createNote", { params: { tenantCode, messageId }, body: { text, authorName } });
    left += 1;
  }
  return left === missing.length;
}
