import type { IncomingMessage } from "node:http";
import { type Answer, json } from "./answer.ts";
import { readBehaviour } from "./behaviour.ts";
import { Ledger } from "./ledger.ts";
import type { Systems } from "./systems.ts";

/** The control interface: `_control` sets how a system answers, `_received` shows what it took. */
export function control(systems: Systems, request: IncomingMessage, place: "_control" | "_received", name: string, body: string): Answer {
  if (name === "") return json(200, { systems: [...systems.all()].map(({ ledger, behaviour }) => ({ ...ledger.counts(), behaviour })) });
  const system = systems.get(name);
  if (request.method === "DELETE") {
    if (place === "_control") systems.forget(name);
    else system.ledger = new Ledger(name);
    return json(200, { ok: true });
  }
  if (place === "_received") return received(system, new URLSearchParams((request.url ?? "").split("?")[1] ?? ""));
  if (request.method === "PUT") {
    const behaviour = readBehaviour(parseSafely(body));
    if (typeof behaviour === "string") return json(400, { error: behaviour });
    system.behaviour = behaviour;
  }
  return json(200, system.behaviour);
}

function received({ ledger }: { ledger: Ledger }, query: URLSearchParams): Answer {
  const [entity, key] = [query.get("entity") ?? undefined, query.get("key") ?? undefined];
  const view = query.get("view") ?? (key === undefined ? "counts" : "entries");
  if (view === "counts") return json(200, ledger.counts());
  if (view === "duplicates") return json(200, { duplicates: ledger.duplicates() });
  if (view === "keys") return json(200, { keys: ledger.keys() });
  if (view !== "entries") return json(400, { error: "view is one of counts, entries, duplicates, keys" });
  const limit = Math.min(Number(query.get("limit") ?? 1_000) || 1_000, 10_000);
  const entries = ledger.receipts({ entity, key, after: Number(query.get("after") ?? 0) || 0, limit });
  return json(200, { entries, next: entries.length === limit ? entries.at(-1)?.sequence : null });
}

function parseSafely(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
