import { ApiError } from "./api.ts";
import { useText } from "./i18n/i18n.tsx";
import { noticeError } from "./ui/notice.tsx";

/** Tells why something failed: in the server's words, or in ours where none came. */
export function useFailureNotice(): (error: Error) => void {
  const t = useText();
  return (error) => noticeError(error instanceof ApiError && error.problem.status > 0 ? error.message : t("error.generic"));
}
