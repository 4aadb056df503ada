import type { Announcement } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import { announcementsQuery } from "../header/announcements.ts";
import { BannerView, textIn } from "../header/banner.tsx";
import { useText } from "../i18n/i18n.tsx";
import { locale } from "../settings.ts";
import { Button } from "../ui/button.tsx";
import { Modal } from "../ui/modal.tsx";
import { ErrorState, Loading } from "../ui/states.tsx";
import { ExactTime } from "../ui/time.tsx";
import { AnnouncementForm } from "./announcement-form.tsx";
import { isToCome, scheduledQuery, useEnd, usePublish } from "./operations.ts";

/** What stands above every screen now and will stand there later, with its times, and what shall stand there next. */
export default function AnnouncementDialog({ onClose }: { onClose: () => void }) {
  const t = useText();
  const publishing = usePublish();
  // The first control ends what stands there now: Enter pressed twice would.
  const text = useRef<HTMLTextAreaElement>(null);
  return (
    <Modal title={t("banner.label")} description={t("announce.hint")} onClose={onClose} initialFocus={text} isWide>
      <Current />
      <Scheduled />
      <AnnouncementForm
        textField={text}
        isBusy={publishing.isPending}
        refusal={publishing.error?.message}
        onPublish={(body) => publishing.mutate(body, { onSuccess: onClose })}
      />
    </Modal>
  );
}

function Current() {
  const t = useText();
  const { data, error, refetch } = useQuery({ ...announcementsQuery, staleTime: 0 });
  return (
    <section className="mt-4 grid gap-2">
      <h3 className="font-medium">{t("announce.current")}</h3>
      {!data && (error ? <ErrorState detail={error.message} onRetry={() => void refetch()} /> : <Loading />)}
      {data?.items.length === 0 && <p className="text-muted">{t("announce.none")}</p>}
      {data && <Announcements announcements={data.items} />}
    </section>
  );
}

/** Nothing stands here where none is to come. */
function Scheduled() {
  const t = useText();
  const { data, error, refetch } = useQuery(scheduledQuery);
  if (!error && !data?.items.length) return null;
  return (
    <section className="mt-4 grid gap-2">
      <h3 className="font-medium">{t("announce.scheduled")}</h3>
      {!data && error && <ErrorState detail={error.message} onRetry={() => void refetch()} />}
      {data && <Announcements announcements={data.items} />}
    </section>
  );
}

function Announcements({ announcements }: { announcements: Announcement[] }) {
  const t = useText();
  const language = locale.use();
  const ending = useEnd();
  return announcements.map((announcement) => (
    <div key={announcement.id} className="overflow-hidden rounded-card border border-line">
      <BannerView text={textIn(announcement, language)} link={announcement.link} />
      <div className="flex flex-wrap items-center justify-between gap-2 px-3 py-2">
        <Times announcement={announcement} />
        <Button
          look="danger"
          isBusy={ending.isPending && ending.variables.id === announcement.id}
          onClick={() => ending.mutate(announcement)}
        >
          {t(isToCome(announcement) ? "announce.callOff" : "announce.end")}
        </Button>
      </div>
    </div>
  ));
}

function Times({ announcement }: { announcement: Announcement }) {
  const t = useText();
  const { startsAt, endsAt } = announcement;
  return (
    <span className="flex flex-wrap gap-x-2 text-muted">
      {isToCome(announcement) && (
        <span>
          {t("announce.from")} <ExactTime at={startsAt} />
        </span>
      )}
      <span>
        {endsAt === null ? (
          t("announce.untilEnded")
        ) : (
          <>
            {t("announce.until")} <ExactTime at={endsAt} />
          </>
        )}
      </span>
    </span>
  );
}
