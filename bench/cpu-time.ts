import { readFileSync, readdirSync } from "node:fs";

/** CPU time since their starts, in µs: of a process alone, and of all that it started and they started. Null where there is no /proc. */
type CpuTime = { own: number; descendants: number } | null;

/** What Linux calls a clock tick: USER_HZ is 100 on every machine that Node runs on. */
const tickUs = 10_000;

type Stat = { parentId: number; own: number; reaped: number };

/**
 * Work is counted where it was done, so a figure per message says the same on a machine that does other work, too. A process that ended is
 * counted once its parent has waited for it.
 */
export function cpuTimeOf(processId: number): CpuTime {
  const stats = new Map<number, Stat>();
  try {
    for (const name of readdirSync("/proc")) {
      const stat = /^\d+$/.test(name) ? statOf(name) : null;
      if (stat) stats.set(Number(name), stat);
    }
  } catch {
    return null;
  }
  const root = stats.get(processId);
  return root ? { own: root.own, descendants: root.reaped + descendantsOf(processId, stats) } : null;
}

function descendantsOf(processId: number, stats: Map<number, Stat>): number {
  let sum = 0;
  for (const [id, { parentId, own, reaped }] of stats) if (parentId === processId) sum += own + reaped + descendantsOf(id, stats);
  return sum;
}

/** Fields 4 and 14 to 17 of https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html; the second, a name in brackets, may hold anything. */
function statOf(processId: string): Stat | null {
  try {
    const text = readFileSync(`/proc/${processId}/stat`, "utf8");
    const fields = text
      .slice(text.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number);
    const [parentId = 0, user = 0, system = 0, reapedUser = 0, reapedSystem = 0] = [1, 11, 12, 13, 14].map((index) => fields[index]);
    return { parentId, own: (user + system) * tickUs, reaped: (reapedUser + reapedSystem) * tickUs };
  } catch {
    // It has ended since its name was read.
    return null;
  }
}
