import { useEffect, useState } from "react";
import { flushSync } from "react-dom";

/** Since when the page is being put on paper, or null: what only paper shows, such as a whole document, needn't be in the page before. */
export function usePrintedAt(): Date | null {
  const [printedAt, setPrintedAt] = useState<Date | null>(null);
  useEffect(() => {
    // The page is taken as it is when its listeners have been told.
    const begin = () => flushSync(() => setPrintedAt(new Date()));
    const end = () => setPrintedAt(null);
    addEventListener("beforeprint", begin);
    addEventListener("afterprint", end);
    return () => {
      removeEventListener("beforeprint", begin);
      removeEventListener("afterprint", end);
    };
  }, []);
  return printedAt;
}
