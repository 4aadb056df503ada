import type { Announcement } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import { Megaphone, X } from "lucide-react";
import { useText } from "../i18n/i18n.tsx";
import { useUser } from "../session/session.ts";
import { locale, type Locale } from "../settings.ts";
import { storedValue } from "../stored-value.ts";
import { IconButton } from "../ui/button.tsx";
import { announcementsQuery } from "./announcements.ts";

/** Who dismissed what in this browser, as "user:announcement", the latest first; far more than are ever on at once. */
const dismissedMax = 100;
const dismissed = storedValue<string[]>(
  "crossdock.dismissed",
  (text) => (text ?? "").split(" ").filter(Boolean),
  (marks) => marks.join(" ") || null,
);

/** The newest announcement that the user hasn't dismissed, on the ground that the layout gives it; nothing where there is none. */
export function Banner() {
  const t = useText();
  const user = useUser();
  const marks = dismissed.use();
  const language = locale.use();
  const { data } = useQuery(announcementsQuery);
  const markOf = ({ id }: Announcement): string => `${user?._id}:${id}`;
  const shown = data?.items.find((announcement) => !announcement.isDismissible || !marks.includes(markOf(announcement)));
  if (!shown) return null;
  const dismiss = () => dismissed.set([markOf(shown), ...marks].slice(0, dismissedMax));
  return (
    <aside aria-label={t("banner.label")} className="border-b border-line">
      <BannerView text={textIn(shown, language)} link={shown.link} {...(shown.isDismissible && { onDismiss: dismiss })} />
    </aside>
  );
}

/** The words for readers of a language, or those for all. */
export function textIn({ text, translations }: Pick<Announcement, "text" | "translations">, language: Locale): string {
  return translations[language] ?? text;
}

/** `onDismiss` is null where the banner is only shown as it will look. */
type BannerViewProps = { text: string; link: string | null; onDismiss?: (() => void) | null };

export function BannerView({ text, link, onDismiss }: BannerViewProps) {
  const t = useText();
  return (
    <div className="flex min-h-11 items-center gap-3 bg-paper px-3 py-1 text-ink sm:px-5">
      <Megaphone aria-hidden className="size-4.5 shrink-0 text-primary-ink rtl:-scale-x-100" />
      <p dir="auto" className="min-w-0 flex-1 break-words rtl:text-right">
        {link === null ? text : <BannerLink href={link}>{text}</BannerLink>}
      </p>
      {onDismiss && (
        <IconButton label={t("banner.dismiss")} onClick={onDismiss}>
          <X aria-hidden className="size-4.5" />
        </IconButton>
      )}
      {onDismiss === null && <X aria-hidden className="m-2 size-4.5 shrink-0" />}
    </div>
  );
}

/** Another site opens beside the console; a path of the console may be any address, so the browser follows it. */
function BannerLink({ href, children }: { href: string; children: string }) {
  const isElsewhere = href.startsWith("https:");
  return (
    <a href={href} {...(isElsewhere && { target: "_blank", rel: "noreferrer" })} className="font-medium underline underline-offset-2">
      {children}
    </a>
  );
}
