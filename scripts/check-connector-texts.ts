import { z } from "zod";
import { connectors } from "@crossdock/connectors";

/** Every field of a connector's settings and credentials has a label, and its words, choices and what is unverified are in the console's languages. */

// Not by a static import: the console's modules are checked with settings of their own.
const file = new URL("../apps/console/src/connectors/connector-texts.ts", import.meta.url).href;
const { connectorTexts } = z.object({ connectorTexts: z.record(z.string(), z.string()) }).parse(await import(file));

const address = /^https?:\/\/\S+$/;
/** Units and methods of HTTP are the same in every language. */
const international = /^(?:kg|g|lb|oz|GET|HEAD|OPTIONS)$/;
const Property = z.object({ title: z.string().optional(), description: z.string().optional(), enum: z.array(z.string()).optional() });

const used = new Set<string>();
const complaints = new Set<string>();
for (const { code, settingsSchema, credentialsSchema, unverified } of Object.values(connectors)) {
  for (const words of unverified) {
    used.add(words);
    if (!(words in connectorTexts)) complaints.add(`${code}: "${words}", which is unverified, is not in connector-texts.ts`);
  }
  for (const schema of [settingsSchema, credentialsSchema]) {
    const { properties } = z.object({ properties: z.record(z.string(), Property) }).parse(z.toJSONSchema(schema, { io: "input" }));
    for (const [name, { title, description, enum: choices = [] }] of Object.entries(properties)) {
      if (title === undefined) complaints.add(`${code}.${name} has no title, which is its label`);
      for (const words of [title, description, ...choices]) {
        if (words === undefined || address.test(words) || international.test(words)) continue;
        used.add(words);
        if (!(words in connectorTexts)) complaints.add(`${code}.${name}: "${words}" is not in connector-texts.ts`);
      }
    }
  }
}
for (const words of Object.keys(connectorTexts)) if (!used.has(words)) complaints.add(`connector-texts.ts: no connector says "${words}"`);
for (const complaint of complaints) console.error(complaint);
process.exit(complaints.size === 0 ? 0 : 1);
