import { SlidersHorizontal } from "lucide-react";
import { Suspense } from "react";
import { ahead, lazyPart } from "../lazy-screen.ts";
import { useText } from "../i18n/i18n.tsx";
import { buttonClass } from "../ui/button.tsx";
import { Popover } from "../ui/popover.tsx";
import { Loading } from "../ui/states.tsx";
import type { MoreFieldsProps } from "./more-fields.tsx";

const load = () => import("./more-fields.tsx");
const prepare = ahead(load);
const MoreFields = lazyPart(load);

/** The filters that are needed now and then; their fields are fetched when somebody reaches for them. */
export function MoreFilters(props: MoreFieldsProps) {
  const t = useText();
  const trigger = (
    <button type="button" onPointerEnter={prepare} onFocus={prepare} className={buttonClass("quiet")}>
      <SlidersHorizontal aria-hidden className="size-4" />
      {t("filter.more")}
    </button>
  );
  return (
    <Popover trigger={trigger} title={t("filter.more")} align="start">
      <Suspense fallback={<Loading rows={4} />}>
        <MoreFields {...props} />
      </Suspense>
    </Popover>
  );
}
