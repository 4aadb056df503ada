import { createHmac } from "node:crypto";
import type pg from "pg";
import { ApiError } from "../errors/errors.ts";

/** How many wrong passwords are free; after these each attempt has to wait twice as long as the one before, up to `maxSeconds`. */
type Patience = { free: number; maxSeconds: number };

/**
 * Guesses are counted by what they have in common. `pair`: one network, one account. `account`: one account from everywhere. `network`: one
 * network, all accounts.
 */
const patience = {
  pair: { free: 5, maxSeconds: 900 },
  account: { free: 50, maxSeconds: 60 },
  network: { free: 50, maxSeconds: 300 },
} satisfies Record<string, Patience>;
/** Guesses are forgotten when no wrong one has followed for this long. */
const forgetSeconds = 24 * 3600;

/** Whoever tries to sign in: the account they name, whether it exists or not, and from where. */
type Guesser = { email: string; network: string };

/** The guesser's network as the database keeps it, and whether the account's person has signed in from there. */
export type Origin = { network: Buffer; isKnown: boolean };

export type Guesses = {
  originOf: (guesser: Guesser) => Promise<Origin>;
  /** Counts an attempt before its password is checked, so that many at once are not each the first. Throws too-many-requests if it has to wait. */
  count: (guesser: Guesser) => Promise<void>;
  /** The password was right: the attempt doesn't count, and its network is known from now on. */
  forgive: (guesser: Guesser, userId: number) => Promise<void>;
};

// An attempt that has to wait changes nothing: trying doesn't make the wait longer.
const countSql = `
  insert into hub.sign_in_failure as known (key, failures, last_at) values ($1, 1, clock_timestamp())
  on conflict (key) do update
  set failures = case when known.last_at < clock_timestamp() - make_interval(secs => $2) then 1 else known.failures + 1 end,
    last_at = clock_timestamp()
  where known.last_at + make_interval(secs => case when known.failures < $3 then 0 else least(2 ^ least(known.failures - $3, 20), $4) end)
    <= clock_timestamp()
  returning failures`;

const waitSql = `
  select ceil(extract(epoch from until - clock_timestamp()))::integer as seconds
  from (
    select last_at + make_interval(secs => case when failures < $2 then 0 else least(2 ^ least(failures - $2, 20), $3) end) as until
    from hub.sign_in_failure where key = $1
  ) known
  where until > clock_timestamp()`;

const knowsSql = `
  select from hub.known_network join hub."user" on "user".id = known_network.user_id
  where "user".email = $1 and known_network.network = $2 and last_at > now() - interval '90 days'`;

const forgiveSql = `
  with counted as (update hub.sign_in_failure set failures = greatest(failures - 1, 0) where key = any ($2)),
  over as (delete from hub.sign_in_failure where key = $1 or last_at < now() - make_interval(secs => $5))
  insert into hub.known_network (user_id, network) values ($3, $4)
  on conflict (user_id, network) do update set last_at = now()`;

/** Counts in the database, so that all processes count together. Emails and networks are kept as HMACs with `key` only. */
export function createGuesses(pool: pg.Pool, key: Buffer): Guesses {
  const hashOf = (...parts: string[]): Buffer => createHmac("sha256", key).update(JSON.stringify(parts)).digest();
  const keysOf = ({ email, network }: Guesser) => ({
    pair: hashOf("pair", email, network),
    account: hashOf("account", email),
    network: hashOf("network", network),
  });
  const knownNetwork = ({ network }: Guesser): Buffer => hashOf("known", network);

  async function originOf(guesser: Guesser): Promise<Origin> {
    const network = knownNetwork(guesser);
    const { rowCount } = await pool.query(knowsSql, [guesser.email, network]);
    return { network, isKnown: rowCount === 1 };
  }

  async function refuseWaiting(counted: Buffer, { free, maxSeconds }: Patience): Promise<void> {
    const [wait] = (await pool.query<{ seconds: number }>(waitSql, [counted, free, maxSeconds])).rows;
    if (wait) throw new ApiError("too-many-requests", { retryAfterSeconds: wait.seconds });
  }

  /** Another attempt may have been counted since this one was checked. */
  async function countOne(counted: Buffer, { free, maxSeconds }: Patience): Promise<void> {
    const { rowCount } = await pool.query(countSql, [counted, forgetSeconds, free, maxSeconds]);
    if (rowCount !== 1) throw new ApiError("too-many-requests", { retryAfterSeconds: 1 });
  }

  return {
    originOf,
    async count(guesser) {
      const keys = keysOf(guesser);
      // Where the person has signed in before, guesses from elsewhere don't keep them out.
      const { isKnown } = await originOf(guesser);
      const kinds = isKnown ? (["pair"] as const) : (["pair", "account", "network"] as const);
      // An attempt that has to wait for one of the counters is counted by none.
      for (const kind of kinds) await refuseWaiting(keys[kind], patience[kind]);
      for (const kind of kinds) await countOne(keys[kind], patience[kind]);
    },
    async forgive(guesser, userId) {
      const { pair, account, network } = keysOf(guesser);
      await pool.query(forgiveSql, [pair, [account, network], userId, knownNetwork(guesser), forgetSeconds]);
    },
  };
}
