import type { TextKey } from "../i18n/i18n.tsx";
import type { Aggregate } from "./search.ts";

export const aggregateTexts: Record<Aggregate, TextKey> = { mean: "hub.mean", max: "hub.max", min: "hub.min", sum: "hub.sum" };
