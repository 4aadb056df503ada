import { useText } from "../i18n/i18n.tsx";
import { ApiError } from "./problem.ts";
import { noticeError } from "../ui/notice.tsx";

/** Why something failed: in the server's words, or in ours where none came. */
export function useFailureText(): (error: Error) => string {
  const t = useText();
  return (error) => {
    if (!(error instanceof ApiError)) return t("error.generic");
    return error.problem.code === "offline" ? t("error.offline") : error.message;
  };
}

/** Tells it. */
export function useFailureNotice(): (error: Error) => void {
  const textOf = useFailureText();
  return (error) => noticeError(textOf(error));
}
