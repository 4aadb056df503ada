import { expect, test } from "vitest";
import { entityFilterOf } from "../entities/search.ts";
import { externalItemFilterOf } from "../external-items/search.ts";
import { externalMessageFilterOf } from "../external-messages/search.ts";
import { retryQueueFilterOf } from "../retry-queue/search.ts";

const now = new Date("2026-11-20T12:00:00Z");

test.each([externalMessageFilterOf, externalItemFilterOf, entityFilterOf, retryQueueFilterOf])(
  "%o: a key asks for all that begin like it, several lines for exactly those keys",
  (filterOf) => {
    expect(filterOf({ key: "10" }, now)).toMatchObject({ keyPrefix: "10" });
    expect(filterOf({ key: "10023\n10024" }, now)).toMatchObject({ key: ["10023", "10024"] });
    expect(filterOf({ key: "" }, now)).not.toHaveProperty("keyPrefix");
  },
);
