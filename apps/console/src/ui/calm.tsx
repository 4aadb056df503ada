import { CircleCheck } from "lucide-react";
import type { ReactNode } from "react";

/** One line where nothing is listed because all is well. */
export function Calm({ children }: { children: ReactNode }) {
  return (
    <p className="flex items-center gap-2 p-4 text-ok">
      <CircleCheck aria-hidden className="size-5 shrink-0" />
      {children}
    </p>
  );
}
