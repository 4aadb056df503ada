/** `2026-03-01T09:30`, the local time that an input takes; nothing for what is no moment, as an address may have anything. */
export function localTextOf(moment: string | Date): string {
  const date = new Date(moment);
  if (Number.isNaN(date.getTime())) return "";
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** The first moment that a clock on the wall shows so. One that it skips in spring is as much later as it skips. */
export const firstMomentOf = (localText: string): string => new Date(localText).toISOString();

/** The last: in autumn a clock shows an hour twice, and a range up to a time of it has both. */
export function lastMomentOf(localText: string): string {
  const first = new Date(localText);
  const dayLater = new Date(first.getTime() + 86_400_000);
  const again = new Date(first.getTime() + (dayLater.getTimezoneOffset() - first.getTimezoneOffset()) * 60_000);
  return (localTextOf(again) === localText ? again : first).toISOString();
}

/** When a day of the operator's begins, so many days ago. */
export function startOfDay(now: Date, daysAgo: number): string {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysAgo).toISOString();
}
