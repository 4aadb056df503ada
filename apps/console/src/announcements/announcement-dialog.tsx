import { useQuery } from "@tanstack/react-query";
import { announcementsQuery, BannerView, textIn } from "../header/banner.tsx";
import { useText } from "../i18n/i18n.tsx";
import { locale } from "../settings.ts";
import { Button } from "../ui/button.tsx";
import { Modal } from "../ui/modal.tsx";
import { ErrorState, Loading } from "../ui/states.tsx";
import { ExactTime } from "../ui/time.tsx";
import { AnnouncementForm } from "./announcement-form.tsx";
import { useEnd, usePublish } from "./operations.ts";

/** What stands above every screen now, with its end, and what shall stand there next. */
export default function AnnouncementDialog({ onClose }: { onClose: () => void }) {
  const t = useText();
  const publishing = usePublish(onClose);
  return (
    <Modal title={t("banner.label")} description={t("announce.hint")} onClose={onClose} isWide>
      <Current />
      <AnnouncementForm
        isBusy={publishing.isPending}
        refusal={publishing.error?.message}
        onPublish={(body) => publishing.mutate(body)}
        onCancel={onClose}
      />
    </Modal>
  );
}

function Current() {
  const t = useText();
  const language = locale.use();
  const ending = useEnd();
  const { data, error, refetch } = useQuery({ ...announcementsQuery, staleTime: 0 });
  return (
    <section className="mt-4 grid gap-2">
      <h3 className="font-medium">{t("announce.current")}</h3>
      {!data && (error ? <ErrorState detail={error.message} onRetry={() => void refetch()} /> : <Loading />)}
      {data?.items.length === 0 && <p className="text-muted">{t("announce.none")}</p>}
      {data?.items.map((announcement) => (
        <div key={announcement.id} className="overflow-hidden rounded-card border border-line">
          <BannerView text={textIn(announcement, language)} link={announcement.link} />
          <div className="flex flex-wrap items-center justify-between gap-2 px-3 py-2">
            <span className="text-muted">
              {announcement.endsAt === null ? t("announce.untilEnded") : <Until at={announcement.endsAt} />}
            </span>
            <Button
              look="danger"
              isBusy={ending.isPending && ending.variables.id === announcement.id}
              onClick={() => ending.mutate(announcement)}
            >
              {t("announce.end")}
            </Button>
          </div>
        </div>
      ))}
    </section>
  );
}

function Until({ at }: { at: string }) {
  const t = useText();
  return (
    <>
      {t("announce.until")} <ExactTime at={at} />
    </>
  );
}
