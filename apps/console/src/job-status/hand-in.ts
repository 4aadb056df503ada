import type { BodyOf, EntityType, Routes, Run } from "@crossdock/contract";
import { api, mayBeDone } from "../api/api.ts";
import { connected } from "../api/connection.ts";
import { nextPart } from "./file-parts.ts";
import { changeRun } from "./queries.ts";

export type What = Omit<NonNullable<BodyOf<Routes["createImport"]>>, "name">;
export type Format = NonNullable<What["format"]>;

/** What a file may hold. */
export const importTypes: ReadonlySet<EntityType> = new Set(["item", "price", "stock", "order"]);

type HandIn = {
  tenantCode: string;
  file: File;
  what: What;
  onProgress: (percent: number) => void;
  /** Nobody wants the import any more. */
  signal: AbortSignal;
};

/** Hands in the file and starts the import when all of it is there. One that is left before that, or fails, is called off. */
export async function handInFile({ file, what, ...rest }: HandIn): Promise<Run> {
  const { tenantCode, signal } = rest;
  const { id } = await api<Routes["createImport"]>("POST", "/tenants/:tenantCode/imports", {
    params: { tenantCode },
    body: { ...what, name: file.name.slice(0, 300) },
  });
  // An import without its whole file does nothing, and the server gives it up after a while, should this not reach it.
  const callOff = () => void changeRun(tenantCode, id, "cancel").catch(() => undefined);
  if (signal.aborted) callOff();
  signal.addEventListener("abort", callOff);
  try {
    const parts = await putFile({ ...rest, file, runId: id });
    signal.throwIfAborted();
    return await api<Routes["startImport"]>("POST", "/tenants/:tenantCode/imports/:runId/start", {
      params: { tenantCode, runId: id },
      body: { parts },
    });
  } catch (error) {
    if (!signal.aborted) callOff();
    throw error;
  } finally {
    // From here on it is left to itself.
    signal.removeEventListener("abort", callOff);
  }
}

/** Reads the file piece by piece, so that its size doesn't matter. Answers how many parts it took. */
async function putFile({ tenantCode, runId, file, onProgress, signal }: Omit<HandIn, "what"> & { runId: number }): Promise<number> {
  const put = async (number: number, text: string): Promise<void> => {
    signal.throwIfAborted();
    const params = { tenantCode, runId, number };
    await persistently(signal, () =>
      api<Routes["putImportPart"]>("PUT", "/tenants/:tenantCode/imports/:runId/parts/:number", { params, body: { text } }),
    );
  };
  const reader = file.stream().getReader();
  const decoder = new TextDecoder();
  let rest = "";
  let parts = 0;
  let bytes = 0;
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    rest += decoder.decode(chunk.value, { stream: true });
    for (let part = nextPart(rest); part !== null; part = nextPart(rest)) {
      await put((parts += 1), part);
      rest = rest.slice(part.length);
    }
    bytes += chunk.value.length;
    onProgress(Math.floor((bytes * 100) / Math.max(file.size, 1)));
  }
  rest += decoder.decode();
  if (rest !== "") await put((parts += 1), rest);
  return parts;
}

const triesMax = 5;

/** Sends what may arrive twice, once more when the server can be reached again: a connection that went takes nothing from what it has by then. */
async function persistently<Answer>(signal: AbortSignal, send: () => Promise<Answer>, triesLeft = triesMax): Promise<Answer> {
  try {
    return await send();
  } catch (error) {
    if (triesLeft === 1 || !mayBeDone(error)) throw error;
    await connected(signal);
    signal.throwIfAborted();
    return persistently(signal, send, triesLeft - 1);
  }
}

/** The other way round. */
export function writeMapping(mapping: Record<string, string>): string {
  return Object.entries(mapping)
    .map(([path, column]) => `${path} = ${column}`)
    .join("\n");
}

/** Lines of `field = column`. */
export function readMapping(text: string): Record<string, string> {
  return Object.fromEntries(
    text.split("\n").flatMap((line) => {
      const [, path, column] = /^\s*([^=\s]+)\s*=\s*(.*\S)\s*$/.exec(line) ?? [];
      return path !== undefined && column !== undefined ? [[path, column]] : [];
    }),
  );
}
