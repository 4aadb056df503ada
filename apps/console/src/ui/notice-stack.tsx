import { Toast } from "@base-ui/react/toast";
import { X } from "lucide-react";
import { useEffect } from "react";
import { useText } from "../i18n/i18n.tsx";
import type { NoticeContent } from "./notice.tsx";

const showMs = 6000;
const notices = Toast.createToastManager();

function show({ kind, text, undo }: NoticeContent): void {
  const id = notices.add({
    description: text,
    type: kind,
    ...(kind === "error" && { priority: "high" }),
    ...(undo && { actionProps: { children: undo.label, onClick: () => (notices.close(id), undo.run()) } }),
  });
}

/** What shows the notices is told once it can: the manager keeps nothing for a stack that isn't there yet. */
export default function NoticeStack({ onReady }: { onReady: (show: (notice: NoticeContent) => void) => void }) {
  useEffect(() => onReady(show), [onReady]);
  return (
    <Toast.Provider toastManager={notices} timeout={showMs} limit={3}>
      <Toast.Portal>
        <Toast.Viewport className="fixed start-4 bottom-[calc(1rem+var(--status-height,0px))] z-50 grid w-[min(26rem,calc(100vw-2rem))] gap-2">
          <Stack />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function Stack() {
  const t = useText();
  const { toasts } = Toast.useToastManager();
  return toasts.map((toast) => (
    <Toast.Root
      key={toast.id}
      toast={toast}
      className={`flex animate-appear items-center gap-3 rounded-card px-4 py-2 text-on-notice shadow-lg data-limited:hidden ${toast.type === "error" ? "bg-notice-bad" : "bg-notice-ok"}`}
    >
      <Toast.Description className="min-w-0 flex-1 break-words" />
      {toast.actionProps && <Toast.Action className="rounded-button px-2 py-1 font-semibold underline" />}
      {/* It is made for a stack that opens under the pointer; here it is seen and reached at all times. */}
      <Toast.Close
        aria-hidden={false}
        aria-label={t("action.close")}
        className="grid size-8 place-items-center rounded-full hover:bg-on-notice/15"
      >
        <X aria-hidden className="size-4" />
      </Toast.Close>
    </Toast.Root>
  ));
}
