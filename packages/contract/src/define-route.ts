import type { z } from "zod";
import type { Permission } from "./permissions.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** One route as both sides see it. `responses` names the successful answers; errors are `Problem` everywhere. */
export type RouteDefinition<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Success extends z.ZodType = z.ZodType,
> = {
  method: Method;
  path: string;
  permission: Permission;
  summary: string;
  description?: string;
  /** Whether a successful call changes something, and so writes an audit event; unless stated, all but GET do. */
  changes?: boolean;
  /** Of the answer, where it is not JSON. */
  contentTypes?: readonly string[];
  /** The answer names the object's version as `ETag`. */
  hasETag?: true;
  /** The request may name the version that it changes as `If-Match`. */
  takesIfMatch?: true;
  /** A stream that can be resumed after `Last-Event-ID`. */
  takesLastEventId?: true;
  params?: Params;
  query?: Query;
  body?: Body;
  /** 204 has no body and therefore no schema; its handler returns undefined. */
  responses: { 200: Success } | { 201: Success } | { 202: Success } | { 204: Success };
};

/** Gives the route its exact type, so that server, probe, OpenAPI document and console read the same declaration. */
export function defineRoute<
  Params extends z.ZodType = z.ZodUndefined,
  Query extends z.ZodType = z.ZodUndefined,
  Body extends z.ZodType = z.ZodUndefined,
  Success extends z.ZodType = z.ZodUndefined,
>(route: RouteDefinition<Params, Query, Body, Success>): RouteDefinition<Params, Query, Body, Success> {
  return route;
}

type SchemaOf<Part> = Part extends z.ZodType ? Part : z.ZodUndefined;

/** What a caller sends, before defaults are filled in. */
export type ParamsOf<Route extends RouteDefinition> = z.input<SchemaOf<Route["params"]>>;
export type QueryOf<Route extends RouteDefinition> = z.input<SchemaOf<Route["query"]>>;
export type BodyOf<Route extends RouteDefinition> = z.input<SchemaOf<Route["body"]>>;

/** What a successful answer holds. */
export type AnswerOf<Route extends RouteDefinition> =
  Route extends RouteDefinition<z.ZodType, z.ZodType, z.ZodType, infer Success> ? z.output<Success> : never;
