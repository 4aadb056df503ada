import { useText } from "../i18n/i18n.tsx";
import { Drawer } from "../ui/drawer.tsx";
import { Card, Facts } from "../ui/page.tsx";
import { ExactTime } from "../ui/time.tsx";
import { MailStanding } from "./mail-columns.tsx";
import type { MailRow } from "./queries.ts";

type MailDrawerProps = { rows: readonly MailRow[]; openId: string; onOpen: (id: string) => void };

/** A mail in full beside the list. */
export default function MailDrawer({ rows, openId, onOpen }: MailDrawerProps) {
  const t = useText();
  const index = rows.findIndex(({ id }) => id === openId);
  const mail = rows[index];
  if (!mail) return null;
  const step = (row: MailRow | undefined) => (row ? () => onOpen(row.id) : null);
  const facts = [
    { name: t("mails.recipient"), value: <bdi>{mail.recipient}</bdi> },
    { name: t("filter.state"), value: <MailStanding mail={mail} /> },
    { name: t("mails.written"), value: <ExactTime at={mail.createdAt} /> },
    ...(mail.sentAt === null ? [] : [{ name: t("mails.sent"), value: <ExactTime at={mail.sentAt} /> }]),
    ...(mail.failure === null ? [] : [{ name: t("mails.failure"), value: <code dir="ltr">{mail.failure}</code> }]),
  ];
  return (
    <Drawer isOpen onClose={() => onOpen("")} title={mail.subject} onPrevious={step(rows[index - 1])} onNext={step(rows[index + 1])}>
      <div className="grid gap-4">
        <Card>
          <Facts facts={facts} />
        </Card>
        <Card title={t("mails.text")}>
          <p dir="auto" lang={mail.locale} className="p-4 break-words whitespace-pre-line">
            {mail.text ?? t("mails.textGone")}
          </p>
        </Card>
      </div>
    </Drawer>
  );
}
