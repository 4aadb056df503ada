import { setImmediate } from "node:timers/promises";
import { applyMappings, compileMappings, missingMappingClass } from "@crossdock/connectors";
import {
  ConnectorCode,
  missingExaminedMax,
  missingListedMax,
  type Impact,
  type MappingContent,
  type MissingMapping,
  type MissingMappingCheck,
} from "@crossdock/contract";
import type pg from "pg";
import { inTenant } from "../db.ts";
import { ApiError } from "../errors/errors.ts";
import { because } from "../errors/faults.ts";
import { compareWays, readCompared, type Way } from "../impact/impact.ts";
import { readDeadMessages, readLastMessages, type PreviewMessage } from "../impact/messages.ts";
import type { TenantDirectory } from "../intake/directory.ts";
import { indexMappings, type MappingIndex } from "../intake/mapping-index.ts";
import { findSubtenantId, readSubtenantCodes } from "../subtenants/codes.ts";
import { readAllMappings, type MappingRow } from "./rows.ts";
import { suggestionsFor } from "./suggestions.ts";

/** Whose messages a draft is tried on, and what its caller may see of them. */
export type TrialScope = { tenantId: number; directory: TenantDirectory; mayReveal: boolean };

type Draft = { upsert: (MappingContent & { id?: number | undefined })[]; removeIds: number[] };

/** What the last messages to the targets concerned would have looked like with a draft. */
export async function previewDraft(pool: pg.Pool, scope: TrialScope, { draft, size }: { draft: Draft; size: number }): Promise<Impact> {
  const { compared, ways } = await inTenant(pool, scope.tenantId, (client) => readDraft(client, scope, { draft, size }));
  return compareWays(compared, { ways, masking: scope.directory.masking, mayReveal: scope.mayReveal });
}

async function readDraft(client: pg.ClientBase, scope: TrialScope, { draft, size }: { draft: Draft; size: number }) {
  const { tenantId, directory } = scope;
  const rows = await readAllMappings(client, tenantId);
  const drafted = await withDraft(client, tenantId, rows, draft);
  const replaced = rows.filter(({ id }) => draft.removeIds.includes(id) || draft.upsert.some((row) => row.id === id));
  const touching = [...draft.upsert, ...replaced];
  const touched = new Set<string>(touching.map(({ target }) => target));
  const targetIds = [...directory.points.values()]
    .filter(({ connector, targetTypes }) => touched.has(connector) && targetTypes.length > 0)
    .map(({ id }) => id);
  const messages = await readLastMessages(client, tenantId, { targetIds, size });
  refuseMasked(messages, touching, scope);
  const ways = { before: wayOf(directory, rows), after: wayOf(directory, drafted) };
  return { compared: await readCompared(client, tenantId, messages), ways };
}

const wayOf = (directory: TenantDirectory, rows: readonly MappingRow[]): Way => ({
  mappingsOf: indexMappings(rows),
  pointOf: (targetId) => directory.points.get(targetId),
});

/** The rows as they would be, in the order in which the more specific one wins. */
async function withDraft(client: pg.ClientBase, tenantId: number, rows: readonly MappingRow[], draft: Draft): Promise<MappingRow[]> {
  const gone = new Set([...draft.removeIds, ...draft.upsert.map(({ id }) => id)]);
  const made: MappingRow[] = [];
  for (const { subtenantCode, ...row } of draft.upsert) {
    const subtenantId = subtenantCode === null ? null : await findSubtenantId(client, tenantId, subtenantCode);
    made.push({ ...row, id: row.id ?? 0, subtenantId });
  }
  const all = [...rows.filter(({ id }) => !gone.has(id)), ...made];
  return [...all.filter(({ subtenantId }) => subtenantId === null), ...all.filter(({ subtenantId }) => subtenantId !== null)];
}

/** In place of all values: nothing that is taken in holds a NUL. */
const noValue = "\0";

/** Throws permission-missing for mappings of what is masked for the caller: which messages they would break tells what the values are like. */
function refuseMasked(
  messages: readonly PreviewMessage[],
  mappings: readonly { fieldName: string }[],
  { directory: { masking }, mayReveal }: TrialScope,
): void {
  if (mayReveal) return;
  const row = { source: "*", sourceValue: noValue, target: "*", targetValue: noValue };
  const every = compileMappings(
    mappings.map(({ fieldName }) => ({ ...row, fieldName })),
    { source: "*", target: "*" },
  );
  const isTold = ({ document }: PreviewMessage): boolean =>
    applyMappings(JSON.parse(document), every).missing.some(({ path }) => masking.masks(path));
  if (messages.some(isTold)) throw new ApiError("permission-missing", because("field-masked"));
}

type Lacks = { message: PreviewMessage; missing: Lack[] };
type Lack = Pick<MissingMapping, "fieldName" | "value" | "source" | "target"> & { isMasked: boolean };

const batchSize = 1_000;

/** The dead letters that failed for want of a mapping, with what they lack by `mappingsOf`. Between two of them whatever else waits in the process has its turn. */
async function* lacking(
  client: pg.ClientBase,
  tenantId: number,
  directory: TenantDirectory,
  mappingsOf: MappingIndex,
): AsyncGenerator<Lacks, void> {
  let before: string | null = null;
  for (let left = missingExaminedMax; left > 0;) {
    const messages: PreviewMessage[] = await readDeadMessages(client, tenantId, {
      errorClass: missingMappingClass,
      before,
      limit: Math.min(batchSize, left),
    });
    for (const message of messages) {
      await setImmediate();
      yield { message, missing: lackOf(message, directory, mappingsOf) };
    }
    left -= messages.length;
    before = messages.at(-1)?.messageId ?? null;
    if (before === null) return;
  }
}

function lackOf(message: PreviewMessage, directory: TenantDirectory, mappingsOf: MappingIndex): Lack[] {
  const point = directory.points.get(message.targetId);
  if (!point) return [];
  const source = ConnectorCode.safeParse(message.headers["source"]).data ?? ("*" as const);
  const { missing } = applyMappings(JSON.parse(message.document), mappingsOf(source, point));
  const lacks = missing.map(({ mappedAs, path, value }) => {
    const isMasked = directory.masking.masks(path);
    return { fieldName: mappedAs, value, source, target: point.connector, isMasked };
  });
  return [...new Map(lacks.map((lack) => [lackName(lack), lack])).values()];
}

const lackName = ({ fieldName, value, source, target, isMasked }: Lack): string =>
  JSON.stringify([fieldName, value, source, target, isMasked]);

/**
 * The values without a mapping for which the most dead letters wait, those of one mapping together, and how many such values there are.
 */
export async function listMissing(client: pg.ClientBase, { tenantId, directory, mayReveal }: TrialScope) {
  const codes = await readSubtenantCodes(client, tenantId);
  const found = new Map<string, Omit<MissingMapping, "subtenants" | "suggestion"> & { bySubtenant: Map<number, number> }>();
  const readyIds: string[] = [];
  let examined = 0;
  const rows = await readAllMappings(client, tenantId);
  const mappingsOf = indexMappings(rows);
  for await (const { message, missing } of lacking(client, tenantId, directory, mappingsOf)) {
    examined += 1;
    if (missing.length === 0) readyIds.push(message.messageId);
    for (const lack of missing) {
      const known = found.get(lackName(lack)) ?? { ...lack, messages: 0, bySubtenant: new Map<number, number>() };
      known.messages += 1;
      known.bySubtenant.set(message.subtenantId, (known.bySubtenant.get(message.subtenantId) ?? 0) + 1);
      found.set(lackName(lack), known);
    }
  }
  const suggestionFor = suggestionsFor(rows);
  const items: MissingMapping[] = [];
  const listed = [...found.values()].toSorted((one, other) => other.messages - one.messages).slice(0, missingListedMax);
  const byMapping = Map.groupBy(listed, ({ fieldName, source, target }) => JSON.stringify([fieldName, source, target]));
  for (const { bySubtenant, ...missing } of [...byMapping.values()].flat()) {
    await setImmediate();
    const isMasked = missing.isMasked && !mayReveal;
    const subtenants = [...bySubtenant].map(([id, messages]) => ({ code: codes.get(id) ?? "–", messages }));
    items.push({
      ...missing,
      isMasked,
      value: isMasked ? directory.masking.maskOf(missing.value) : missing.value,
      subtenants: subtenants.toSorted((one, other) => other.messages - one.messages),
      suggestion: isMasked ? null : suggestionFor(missing),
    });
  }
  return { items, total: found.size, examined, isComplete: examined < missingExaminedMax, readyIds };
}

/** How many dead letters are shown as they would go out. */
const samplesMax = 20;

/** Which dead letters new mappings would set free. */
export async function checkMissing(pool: pg.Pool, scope: TrialScope, mappings: MappingContent[]): Promise<MissingMappingCheck> {
  const { compared, ways, ...found } = await inTenant(pool, scope.tenantId, (client) => findFreed(client, scope, mappings));
  const { samples } = await compareWays(compared, { ways, masking: scope.directory.masking, mayReveal: scope.mayReveal });
  return { ...found, samples };
}

async function findFreed(client: pg.ClientBase, scope: TrialScope, mappings: MappingContent[]) {
  const { tenantId, directory } = scope;
  const rows = await readAllMappings(client, tenantId);
  const drafted = await withDraft(client, tenantId, rows, { upsert: mappings, removeIds: [] });
  const now = indexMappings(rows);
  const then = indexMappings(drafted);
  const freed: PreviewMessage[] = [];
  const freedIds: string[] = [];
  let stillBlocked = 0;
  for await (const { message, missing } of lacking(client, tenantId, directory, now)) {
    refuseMasked([message], mappings, scope);
    const left = new Set(lackOf(message, directory, then).map(lackName));
    if (missing.every((lack) => left.has(lackName(lack)))) continue;
    if (left.size > 0) {
      stillBlocked += 1;
      continue;
    }
    freedIds.push(message.messageId);
    if (freed.length < samplesMax) freed.push(message);
  }
  const ways = { before: wayOf(directory, rows), after: wayOf(directory, drafted) };
  return { freedIds, stillBlocked, compared: await readCompared(client, tenantId, freed), ways };
}
