import { bigcommerce } from "./bigcommerce/store.ts";
import { brink } from "./brink/brink.ts";
import { centra } from "./centra/centra.ts";
import { colect } from "./colect/colect.ts";
import { jetshop } from "./jetshop/jetshop.ts";
import { litium } from "./litium/litium.ts";
import { magento } from "./magento/store.ts";
import { nuorder } from "./nuorder/nuorder.ts";
import { optimizely } from "./optimizely/optimizely.ts";
import type { Personality, Stage } from "./personality.ts";
import { plytix } from "./plytix/plytix.ts";
import { sitoo } from "./sitoo/sitoo.ts";
import { storm } from "./storm/norce.ts";

/** By the first part of the path. */
export const personalities = {
  bigcommerce,
  brink,
  centra,
  colect,
  jetshop,
  litium,
  magento,
  nuorder,
  optimizely,
  plytix,
  sitoo,
  storm,
} satisfies Record<string, (stage: Stage) => Personality>;

export type PersonalityName = keyof typeof personalities;
export const isPersonality = (name: string): name is PersonalityName => Object.hasOwn(personalities, name);
