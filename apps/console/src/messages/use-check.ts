import { useQuery } from "@tanstack/react-query";
import { useFailureText } from "../api/failure-notice.ts";
import { useSettled } from "../ui/use-settled.ts";
import { checkQuery, type Wish } from "./repair.ts";

/** Pause after the last key stroke before the server is asked. */
const typingPauseMs = 400;

type Fault = { path: string; message: string };
const noFaults: Fault[] = [];

/** What is wrong with a replacement, or why nobody knows. While it is typed, what was wrong before is still shown, and nothing can be sent. */
export function useCheck(tenantCode: string, messageId: string, wish: Wish, isChanged: boolean): { errors: Fault[]; isChecking: boolean } {
  const typed = JSON.stringify(wish);
  const settled = useSettled(typed, typingPauseMs);
  const asked: Wish = JSON.parse(settled);
  const textOf = useFailureText();
  const { data, error, fetchStatus, isPlaceholderData } = useQuery({
    ...checkQuery(tenantCode, messageId, asked),
    enabled: settled !== "{}",
    placeholderData: (previous) => previous,
  });
  if (!isChanged) return { errors: noFaults, isChecking: false };
  const errors = data ?? (error ? [{ path: "", message: textOf(error) }] : noFaults);
  // What is known of this very text stands while live updates have it asked again: nobody's click may go astray meanwhile.
  return { errors, isChecking: settled !== typed || isPlaceholderData || (fetchStatus !== "idle" && !data) };
}
