import type { MessageState } from "@crossdock/contract";

export type Series = {
  label: string;
  values: (number | null)[];
  /** Where the line is drawn when it stands on others; absent, at its own values. */
  stacked?: number[];
  /** What a click on the line narrows the list to. */
  queueId?: number;
  state?: MessageState;
  /** What it shows lies a week before the times of the chart. */
  isWeekBefore?: boolean;
  colour: string;
  dash: number[];
};

/**
 * After Okabe and Ito's colours, told apart by the colour-blind, in an order that keeps neighbours apart; blue is lighter, orange and sky darker, so
 * that each has three times the contrast to light and to dark ground.
 */
const colours = ["#1f86cc", "#c68600", "#009e73", "#d55e00", "#cc79a7", "#2aa0b8"];
/** Beyond the colours lines differ by their dashes. */
const dashes = [[], [6, 4], [10, 3, 2, 3]];

/** Of a chart's nth line; no two of the first eighteen look the same. */
export function styleOf(index: number): { colour: string; dash: number[] } {
  return { colour: colours[index % colours.length] ?? "", dash: dashes[Math.floor(index / colours.length) % dashes.length] ?? [] };
}
