import { randomBytes } from "node:crypto";
import { chownSync, existsSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { codeOf } from "../errors/errors.ts";
import { seal, unseal, deriveKey, type SealedPlace } from "./sealing.ts";
import { sha256 } from "./sha256.ts";
import { flushFolder, makeFolder } from "../installation/make-folder.ts";
import { StartError } from "../installation/start-error.ts";

/** The keys that other keys are wrapped with. The first seals; the others open what was sealed before they were replaced. */
export type KeyRing = {
  /** Hexadecimal name of the key that seals. */
  currentId: () => string;
  sealEnvelope: (place: SealedPlace, text: string) => Buffer;
  /** Throws when the bytes were changed, belong to another place, or were sealed with a key that is not known. */
  openEnvelope: (place: SealedPlace, bytes: Buffer) => string;
  /** The envelope with its data key wrapped by the present key; null when it is already. The sealed text itself is not touched. */
  rewrap: (place: SealedPlace, bytes: Buffer) => Buffer | null;
};

const format = 2;
const idBytes = 4;
/** A wrapped data key: format, nonce and tag of `seal`, and 32 bytes as hexadecimal text. */
const wrappedBytes = 1 + 12 + 16 + 64;

type Key = { id: Buffer; key: Buffer };

const toKey = (secret: string): Key => {
  const key = deriveKey(secret, "credentials");
  return { id: sha256(key).subarray(0, idBytes), key };
};

/**
 * Reads the ring anew when a key is asked for that it does not hold: the rotation may have made one since. `secrets` are the texts that the
 * keys derive from, the present one first.
 */
export function createKeyRing(readSecrets: () => readonly string[]): KeyRing {
  let keys = readSecrets().map(toKey);

  const current = (): Key => {
    const [first] = keys;
    if (!first) throw new Error("there is no key for credentials");
    return first;
  };

  function find(id: Buffer): Key {
    const known = (): Key | undefined => keys.find((key) => key.id.equals(id));
    const found = known();
    if (found) return found;
    keys = readSecrets().map(toKey);
    const foundNow = known();
    if (!foundNow) throw new Error(`sealed with a key that is not known here: ${id.toString("hex")}`);
    return foundNow;
  }

  function wrap(place: SealedPlace, dataKey: Buffer): Buffer {
    const { id, key } = current();
    return Buffer.concat([Buffer.of(format), id, seal(key, keyPlace(place), dataKey.toString("hex"))]);
  }

  function unwrap(place: SealedPlace, bytes: Buffer): { dataKey: Buffer; sealed: Buffer; id: Buffer } {
    if (bytes[0] !== format) throw new Error(`sealed value of unknown format ${bytes[0]}`);
    const id = bytes.subarray(1, 1 + idBytes);
    const end = 1 + idBytes + wrappedBytes;
    const dataKey = Buffer.from(unseal(find(id).key, keyPlace(place), bytes.subarray(1 + idBytes, end)), "hex");
    return { dataKey, sealed: bytes.subarray(end), id };
  }

  return {
    currentId: () => current().id.toString("hex"),
    sealEnvelope(place, text) {
      const dataKey = randomBytes(32);
      return Buffer.concat([wrap(place, dataKey), seal(dataKey, place, text)]);
    },
    openEnvelope(place, bytes) {
      const { dataKey, sealed } = unwrap(place, bytes);
      return unseal(dataKey, place, sealed);
    },
    rewrap(place, bytes) {
      const { dataKey, sealed, id } = unwrap(place, bytes);
      return id.equals(current().id) ? null : Buffer.concat([wrap(place, dataKey), sealed]);
    },
  };
}

/** The data key of one field does not open as that of another. */
const keyPlace = (place: SealedPlace): SealedPlace => ({ ...place, field: `${place.field} key` });

type Sources = {
  /** Of CROSSDOCK_CREDENTIAL_KEYS. */
  configured: readonly string[];
  /** The folder in which a rotation without that setting keeps its keys. */
  dataDir: string;
  /** The installation's secret: the first key there was. */
  secret: string;
};

const keyFile = (dataDir: string): string => join(dataDir, "credential.keys");

/** The texts that the keys derive from, the present one first. */
export function readKeySecrets({ configured, dataDir, secret }: Sources): readonly string[] {
  const kept = readKept(dataDir)
    .split("\n")
    .filter((line) => line !== "");
  return [...configured, ...kept, secret];
}

/** Puts a new key before the others in the folder's file, which only its owner reads. The file's name. */
export function addKey(dataDir: string): string {
  const file = keyFile(dataDir);
  const isRoot = process.getuid?.() === 0;
  if (isRoot && !existsSync(dataDir))
    throw new StartError(
      `${dataDir} is missing, so that root cannot tell whose the key has to be. Make it (mode 0700) and give it to the user that the server runs as.`,
    );
  // With a database of one's own and CROSSDOCK_SECRET nothing else needed it.
  makeFolder(dataDir);
  // Whole or not at all: a reader never sees half a file.
  writeFileSync(`${file}.new`, `${randomBytes(32).toString("hex")}\n${readKept(dataDir)}`, { mode: 0o600, flush: true });
  if (isRoot) {
    // The server may be another user's, who has to read it.
    const { uid, gid } = statSync([join(dataDir, "secret.key"), dataDir].find((path) => existsSync(path)) ?? dataDir);
    chownSync(`${file}.new`, uid, gid);
  }
  renameSync(`${file}.new`, file);
  // What is wrapped with the key must not outlive it, in a database elsewhere.
  flushFolder(dataDir);
  return file;
}

function readKept(dataDir: string): string {
  const file = keyFile(dataDir);
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    if (codeOf(cause) === "ENOENT") return "";
    throw new StartError(`${file} cannot be read (${codeOf(cause)}). It must belong to the user that the server runs as.`, { cause });
  }
}
