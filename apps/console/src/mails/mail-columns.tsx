import { useMemo } from "react";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import { writeTextSearch } from "../text-search.ts";
import { Chip, type Tone } from "../ui/chip.tsx";
import { timeWidth, type Column } from "../ui/data-table/columns.ts";
import { RowLink } from "../ui/row-link.tsx";
import { Time } from "../ui/time.tsx";
import type { MailRow } from "./queries.ts";

type Standing = { text: TextKey; tone: Tone };

function standingOf({ sentAt, failure, text }: MailRow): Standing {
  if (sentAt !== null) return { text: "mails.sent", tone: "ok" };
  if (failure !== null) return { text: "mails.failed", tone: "bad" };
  // Only where no mail server is set up is the text told.
  return text === null ? { text: "mails.waiting", tone: "info" } : { text: "mails.here", tone: "neutral" };
}

export function MailStanding({ mail }: { mail: MailRow }) {
  const t = useText();
  const { text, tone } = standingOf(mail);
  return <Chip tone={tone}>{t(text)}</Chip>;
}

export function useMailColumns(): Column<MailRow>[] {
  const t = useText();
  return useMemo(
    () => [
      {
        id: "subject",
        header: t("mails.subject"),
        minWidth: 160,
        grow: 2,
        isTitle: true,
        cell: ({ id, subject }) => (
          <RowLink href={`/outbox${writeTextSearch({ mail: id })}`}>
            <bdi>{subject}</bdi>
          </RowLink>
        ),
      },
      {
        id: "recipient",
        header: t("mails.recipient"),
        minWidth: 150,
        grow: 1.4,
        cell: ({ recipient }) => <bdi>{recipient}</bdi>,
      },
      {
        id: "standing",
        header: t("filter.state"),
        minWidth: 100,
        grow: 0.8,
        cell: (mail) => <MailStanding mail={mail} />,
      },
      {
        id: "at",
        header: t("mails.written"),
        minWidth: timeWidth,
        grow: 0.8,
        cell: ({ createdAt }) => <Time at={createdAt} />,
      },
    ],
    [t],
  );
}
