import { bigcommerce } from "./bigcommerce/store.ts";
import { colect } from "./colect/colect.ts";
import { jetshop } from "./jetshop/jetshop.ts";
import { litium } from "./litium/litium.ts";
import { magento } from "./magento/store.ts";
import { nuorder } from "./nuorder/nuorder.ts";
import type { Personality, Stage } from "./personality.ts";
import { sitoo } from "./sitoo/sitoo.ts";

/** By the first part of the path. */
export const personalities = { bigcommerce, colect, jetshop, litium, magento, nuorder, sitoo } satisfies Record<
  string,
  (stage: Stage) => Personality
>;

export type PersonalityName = keyof typeof personalities;
export const isPersonality = (name: string): name is PersonalityName => Object.hasOwn(personalities, name);
