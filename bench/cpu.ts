import { readdirSync, readFileSync } from "node:fs";
import type pg from "pg";

const msPerTick = 10;

/** Milliseconds of CPU that this process and the PostgreSQL server behind `pool` have used, its ended backends included. Linux only; else of this process alone. */
export async function cpuOf(pool: pg.Pool): Promise<number> {
  const { user, system } = process.cpuUsage();
  const { rows } = await pool.query<{ pid: number }>("select pg_backend_pid() as pid");
  const postmaster = statOf(rows[0]?.pid ?? 0)?.parent ?? 0;
  const own = statOf(postmaster);
  const backends = allPids().flatMap((pid) => {
    const stat = statOf(pid);
    return stat?.parent === postmaster && own ? [stat.ticks] : [];
  });
  const server = (own ? own.ticks + own.ticksOfEnded : 0) + backends.reduce((sum, ticks) => sum + ticks, 0);
  return (user + system) / 1000 + server * msPerTick;
}

function allPids(): number[] {
  try {
    return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
  } catch {
    return [];
  }
}

/** See proc(5). Null when the process is gone. */
function statOf(pid: number): { parent: number; ticks: number; ticksOfEnded: number } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name, in brackets, may contain anything.
    const fields = text
      .slice(text.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number);
    const [parent = 0, user = 0, system = 0, endedUser = 0, endedSystem = 0] = [fields[1], fields[11], fields[12], fields[13], fields[14]];
    return { parent, ticks: user + system, ticksOfEnded: endedUser + endedSystem };
  } catch {
    return null;
  }
}
