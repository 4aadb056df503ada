import type { IntegrationPoint } from "@crossdock/contract";

/** What is chosen before anybody has: nothing, unless there is but one. Data that goes to another system than was meant can't be called back. */
export function onlyOne(points: readonly IntegrationPoint[]): string {
  const [first] = points;
  return first && points.length === 1 ? String(first.id) : "";
}
