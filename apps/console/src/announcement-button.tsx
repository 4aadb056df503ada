import { Megaphone } from "lucide-react";
import { Suspense, useState } from "react";
import { useText } from "./i18n/i18n.tsx";
import { lazyPart } from "./lazy-screen.ts";
import { useRoleReason } from "./session/role-texts.ts";
import { Button } from "./ui/button.tsx";

const Dialog = lazyPart(() => import("./announcements/announcement-dialog.tsx"));

/** An admin's way to what the banner says; to others it says who may. */
export function AnnouncementButton() {
  const t = useText();
  const [isOpen, setIsOpen] = useState(false);
  const disabledReason = useRoleReason("administer");
  return (
    <>
      <Button disabledReason={disabledReason} onClick={() => setIsOpen(true)}>
        <Megaphone aria-hidden className="size-4 rtl:-scale-x-100" />
        {t("banner.label")}
      </Button>
      <Suspense fallback={null}>{isOpen && <Dialog onClose={() => setIsOpen(false)} />}</Suspense>
    </>
  );
}
