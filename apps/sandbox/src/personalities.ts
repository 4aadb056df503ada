import { bigcommerce } from "./bigcommerce/store.ts";
import { litium } from "./litium/litium.ts";
import { magento } from "./magento/store.ts";
import type { Personality, Stage } from "./personality.ts";

/** By the first part of the path. */
export const personalities = { bigcommerce, litium, magento } satisfies Record<string, (stage: Stage) => Personality>;

export type PersonalityName = keyof typeof personalities;
export const isPersonality = (name: string): name is PersonalityName => Object.hasOwn(personalities, name);
