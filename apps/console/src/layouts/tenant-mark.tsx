import { Store } from "lucide-react";
import type { CSSProperties } from "react";
import { parseColour } from "../theme/colour.ts";
import { inkOn } from "../theme/palette.ts";

/** The sign of a tenant, in the colour that somebody gave it. */
export function TenantMark({ colour, className = "" }: { colour: string | null | undefined; className?: string }) {
  return <Store aria-hidden style={markOf(colour)} className={`size-4.5 shrink-0 ${className}`} strokeWidth={1.8} />;
}

/** The tenant's colour around its sign, which is drawn in whatever stands out from it. */
function markOf(text: string | null | undefined): CSSProperties | undefined {
  const colour = parseColour(text ?? "");
  return colour ? { background: colour, color: inkOn(colour), boxShadow: `0 0 0 6px ${colour}`, borderRadius: 1 } : undefined;
}
