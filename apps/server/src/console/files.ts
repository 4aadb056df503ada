import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join, relative, sep } from "node:path";
import { constants, gzipSync } from "node:zlib";

export type ConsoleFile = { body: Buffer; contentType: string; etag: string; isHashed: boolean; gzip: () => Buffer };

const contentTypes: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".webp": "image/webp",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".woff": "font/woff",
  ".txt": "text/plain; charset=utf-8",
  ".webmanifest": "application/manifest+json",
};

const isText = (contentType: string): boolean => /^text|json|svg/.test(contentType);

/**
 * The built console by URL path, held in memory: it is a few hundred kilobytes, and no request path ever touches the disk.
 * Files under /assets carry a hash of their content in their name.
 */
export function readConsoleFiles(folder: string, environment: string): Map<string, ConsoleFile> {
  const files = new Map<string, ConsoleFile>();
  if (!existsSync(folder)) return files;
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const contentType = contentTypes[extname(entry.name)];
    if (!entry.isFile() || contentType === undefined) continue;
    const file = join(entry.parentPath, entry.name);
    const path = `/${relative(folder, file).split(sep).join("/")}`;
    const body = readFileSync(file);
    files.set(path, toConsoleFile(path, path === "/index.html" ? markPage(body, environment) : body, contentType));
  }
  return files;
}

/** Names the environment in the page, as its look depends on it from the first paint on. */
function markPage(page: Buffer, environment: string): Buffer {
  const text = environment.replaceAll(/[&<"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
  return Buffer.from(page.toString().replace('data-environment="Development"', () => `data-environment="${text}"`));
}

function toConsoleFile(path: string, body: Buffer, contentType: string): ConsoleFile {
  let zipped: Buffer | undefined;
  return {
    body,
    contentType,
    etag: `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`,
    isHashed: path.startsWith("/assets/"),
    gzip: () => (zipped ??= isText(contentType) ? gzipSync(body, { level: constants.Z_BEST_COMPRESSION }) : body),
  };
}
