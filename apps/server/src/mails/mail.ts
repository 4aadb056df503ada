import { setTimeout as sleep } from "node:timers/promises";
import { createTransport, type Transporter } from "nodemailer";
import type pg from "pg";
import type { Deps } from "../deps.ts";
import { parseAllowList, type AllowList } from "../egress/addresses.ts";
import { openSocket } from "../egress/checked-lookup.ts";
import { codeOf } from "../errors/errors.ts";
import { mask } from "../masking/headers.ts";
import { mailText, type MailKind } from "./mail-texts.ts";
import { seal, unseal, type SealedPlace } from "../keys/sealing.ts";

type NewMail = { recipient: string; locale: string; kind: MailKind; values?: Record<string, string> };

export type Mail = {
  /** Puts a mail into the outbox, in the transaction of `client`. Call `wake` when it is committed. */
  write: (client: pg.ClientBase, mail: NewMail) => Promise<void>;
  wake: () => void;
  stop: () => Promise<void>;
};

/** How often the outbox is looked at without being woken, for what another process wrote or what has to be tried again. */
const lookMs = 5_000;
/** The waits between the tries add up to some eight hours. */
const attemptsMax = 10;
/** A server that answers letter by letter is never silent for long. With the connecting it takes less than the minute after which the mail is anybody's again. */
const sendMsMax = 45_000;
const keptDays = 7;

/** Sealed for its recipient, so that a row can't be sent to somebody else. */
const placeOf = (recipient: string): SealedPlace => ({ tenantId: 0, record: `mail to ${recipient}`, field: "text" });

// The old ones go with the same statement: an outbox needs no other housekeeping.
const writeSql = `
  with over as (delete from hub.mail where created_at < now() - make_interval(days => $6))
  insert into hub.mail (recipient, locale, kind, subject, sealed) values ($1, $2, $3, $4, $5)`;

/** The outbox of this process. It sends what any process wrote, as soon as SMTP_URL names a server; without one mails stay for the admins. */
export function createMail({ config, pools, keys, logger }: Pick<Deps, "config" | "pools" | "keys" | "logger">, msMax = sendMsMax): Mail {
  const stopping = new AbortController();
  let wakeUp: (() => void) | null = null;
  const transport =
    config.smtpUrl === null ? null : openTransport(config.smtpUrl, parseAllowList(config.serviceAllow, "CROSSDOCK_SERVICE_ALLOW"), msMax);

  async function sendWaiting(send: Transporter): Promise<void> {
    while (!stopping.signal.aborted) {
      const mail = await claim(pools.app);
      if (!mail) return;
      try {
        const { subject, text } = openMail(keys.mail, mail.recipient, mail.sealed);
        await send.sendMail({ from: config.mailFrom, to: { name: "", address: mail.recipient }, subject, text });
        await settle(pools.app, mail.id, null, true);
      } catch (error) {
        const failure = describe(error, config.smtpUrl ?? "");
        logger.warn({ mailId: mail.id, failure }, "a mail was not sent");
        await settle(pools.app, mail.id, failure, isPermanent(error) || mail.attempts >= attemptsMax);
      }
    }
  }

  async function run(send: Transporter): Promise<void> {
    while (!stopping.signal.aborted) {
      const woken = new Promise<void>((resolve) => {
        wakeUp = resolve;
      });
      await sendWaiting(send).catch((error: unknown) => logger.warn({ err: error }, "the outbox could not be read"));
      const pause = new AbortController();
      await Promise.race([woken, sleep(lookMs, undefined, { signal: pause.signal }).catch(() => undefined)]);
      pause.abort();
    }
  }

  const running = transport ? run(transport) : Promise.resolve();
  return {
    async write(client, { recipient, locale, kind, values = {} }) {
      const { subject, text } = mailText(kind, locale, values);
      // The subject of a mail with a code holds it, too.
      const { subject: shown } = mailText(kind, locale, { ...values, code: "••••••" });
      await writeMail(client, keys.mail, { recipient, locale, kind, shown, subject, text });
    },
    wake: () => wakeUp?.(),
    async stop() {
      stopping.abort();
      wakeUp?.();
      transport?.close();
      await running;
    },
  };
}

type ReadyMail = { recipient: string; locale: string; kind: string; subject: string; text: string; shown?: string };

/** Puts a mail into the outbox as it stands; `shown` is what lists have for its subject. */
export async function writeMail(client: pg.ClientBase, key: Buffer, mail: ReadyMail): Promise<void> {
  const { recipient, locale, kind, subject, text, shown = subject } = mail;
  const sealed = seal(key, placeOf(recipient), JSON.stringify({ subject, text }));
  await client.query(writeSql, [recipient, locale, kind, shown, sealed, keptDays]);
}

/** Opens a mail of the outbox. */
export function openMail(key: Buffer, recipient: string, sealed: Buffer): { subject: string; text: string } {
  return JSON.parse(unseal(key, placeOf(recipient), sealed));
}

function openTransport(url: string, allow: AllowList, msMax: number): Transporter {
  const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 };
  return createTransport({
    url,
    // Mails are text alone; nothing in one may name a file or an address to read.
    disableFileAccess: true,
    disableUrlAccess: true,
    ...timeouts,
    // The connection is opened, and its address checked, as everything that leaves the server.
    getSocket({ host = "", port, secure = false }, done) {
      // The ports of mail submission (RFC 8314).
      const given = Number(port ?? (secure ? 465 : 587));
      openSocket({ host, port: given, allow, timeoutMs: timeouts.connectionTimeout }).then(
        (connection) => {
          const late = setTimeout(() => connection.destroy(new Error(`The mail was not taken within ${msMax} ms.`)), msMax);
          connection.once("close", () => clearTimeout(late));
          done(null, { connection });
        },
        (error: Error) => done(error, false),
      );
    },
  });
}

type Claimed = { id: number; recipient: string; sealed: Buffer; attempts: number };

// Whoever claims it has a minute, then two, four …; a process that dies meanwhile loses nothing.
const claimSql = `
  update hub.mail set attempts = attempts + 1, next_attempt_at = now() + least(interval '1 minute' * 2 ^ attempts, interval '4 hours')
  where id = (
    select id from hub.mail where sealed is not null and next_attempt_at <= now() order by next_attempt_at limit 1 for update skip locked)
  returning id, recipient, sealed, attempts`;

async function claim(pool: pg.Pool): Promise<Claimed | undefined> {
  return (await pool.query<Claimed>(claimSql)).rows[0];
}

async function settle(pool: pg.Pool, id: number, failure: string | null, isOver: boolean): Promise<void> {
  await pool.query(
    `update hub.mail set failure = $2, sealed = case when $3 then null else sealed end,
       sent_at = case when $2::text is null then now() end where id = $1`,
    [id, failure, isOver],
  );
}

/**
 * The server won't take it however often it is offered (RFC 5321, 4.2.1). Refused where the hub signs in or names its sender, every mail is, until somebody
 * corrects the settings.
 */
function isPermanent(error: unknown): boolean {
  if (!(error instanceof Error && "responseCode" in error && "command" in error)) return false;
  return Number(error.responseCode) >= 500 && (error.command === "RCPT TO" || error.command === "DATA");
}

/** What the server answered, or why it didn't; never the mail, nor the password, should the server repeat it. */
function describe(error: unknown, smtpUrl: string): string {
  const answer = error instanceof Error && "response" in error && typeof error.response === "string" ? error.response : codeOf(error);
  const said = answer === "" ? String(error) : answer;
  const password = URL.canParse(smtpUrl) ? decodeURIComponent(new URL(smtpUrl).password) : "";
  return (password === "" ? said : said.replaceAll(password, mask)).slice(0, 300);
}
