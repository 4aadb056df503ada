import type { IncomingMessage } from "node:http";
import { fileURLToPath } from "node:url";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { createAllowedMethods } from "../http/allowed-methods.ts";
import { ApiError } from "../errors/errors.ts";
import { readConsoleFiles, type ConsoleFile } from "./files.ts";

const dist = fileURLToPath(new URL("../../../console/dist/", import.meta.url));

/**
 * Serves the console: its files by path, and for every other path that a browser navigates to the page itself, whose router knows the rest.
 * What no route and no file answers is a problem: method-not-allowed where a route answers other methods, otherwise not-found.
 */
export function registerConsole(app: FastifyInstance, environment: string, folder: string = dist): void {
  const files = readConsoleFiles(folder, environment);
  const page = files.get("/index.html");
  const build = /<meta name="build" content="([\w-]+)"/.exec(page?.body.toString() ?? "")?.[1];
  if (build !== undefined) app.addHook("onRequest", tellBuild(build));

  // Made when it is first asked for: the routes of plugins come after this.
  let allowedMethods: ReturnType<typeof createAllowedMethods> | undefined;
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.replace(/[?#].*$/, "");
    const isRead = request.method === "GET" || request.method === "HEAD";
    const file = files.get(path) ?? (path === "/" || isNavigation(request) ? page : undefined);
    if (isRead && file !== undefined) return sendFile(file, request, reply);
    const allowed = (allowedMethods ??= createAllowedMethods(app.registeredRoutes))(path);
    if (allowed.length === 0) throw new ApiError("not-found", { detail: `Nothing answers ${request.method} ${path} here.` });
    void reply.header("allow", allowed.join(", "));
    throw new ApiError("method-not-allowed");
  });
}

/** An address with a broken percent code, which no route takes, is the root for a browser that opens it: the page says that there is no such screen. */
export function readableUrl({ url = "/", headers }: IncomingMessage): string {
  if (!url.includes("%") || !isNavigation({ url, headers })) return url;
  try {
    decodeURIComponent(url.replace(/[?#].*$/, ""));
    return url;
  } catch {
    return "/";
  }
}

/** Names the build on every answer that a console may get, so that one loaded from an earlier build notices. */
function tellBuild(build: string) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (request.routeOptions.config.permission !== "gateway") void reply.header("x-console-build", build);
  };
}

/** A browser that opens an address asks for HTML; scripts and API clients do not, and get the page at the root alone. No screen lives among the files. */
function isNavigation({ url, headers }: Pick<IncomingMessage, "headers"> & { url: string }): boolean {
  return headers.accept?.includes("text/html") === true && !url.startsWith("/assets/");
}

function sendFile(file: ConsoleFile, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  void reply
    .header("cache-control", file.isHashed ? "public, max-age=31536000, immutable" : "no-cache")
    .header("etag", file.etag)
    .header("vary", "accept-encoding");
  if (request.headers["if-none-match"] === file.etag) return reply.code(304).send();
  const zipped = request.headers["accept-encoding"]?.includes("gzip") === true ? file.gzip() : file.body;
  if (zipped !== file.body) void reply.header("content-encoding", "gzip");
  return reply.code(200).type(file.contentType).send(zipped);
}
