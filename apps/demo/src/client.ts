import { routes, type AnswerOf, type BodyOf, type ParamsOf, type QueryOf, type Routes } from "@crossdock/contract";

/** The server refused a request; `code` is the one of its problem document. */
export class RequestError extends Error {
  override name = "RequestError";
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

type Parts<Name extends keyof Routes> = {
  params?: ParamsOf<Routes[Name]>;
  query?: QueryOf<Routes[Name]>;
  body?: BodyOf<Routes[Name]>;
};

/** A caller of the public API, by the names of the contract's routes. */
export type Client = {
  url: string;
  token: string;
  call: <Name extends keyof Routes>(name: Name, parts?: Parts<Name>) => Promise<AnswerOf<Routes[Name]>>;
};

export function createClient(url: string, token: string): Client {
  return {
    url,
    token,
    call: async <Name extends keyof Routes>(name: Name, { params, query, body }: Parts<Name> = {}) => {
      const route = routes[name];
      const target = new URL(fillPath(route.path, params), url);
      for (const [key, value] of Object.entries(query ?? {})) {
        for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) target.searchParams.append(key, String(one));
      }
      const answer = await fetch(target, {
        method: route.method,
        headers: { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { "content-type": "application/json" }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      if (!answer.ok) throw await toError(answer);
      return (answer.status === 204 ? undefined : await answer.json()) as AnswerOf<Routes[Name]>;
    },
  };
}

/** Signs in with email and password. */
export async function signIn(url: string, email: string, password: string): Promise<Client> {
  const session = await createClient(url, "").call("signIn", { body: { email, password } });
  return createClient(url, session.access_token);
}

/** What went wrong, from a problem document where the answer is one. */
export async function toError(answer: Response): Promise<RequestError> {
  const text = await answer.text();
  const problem = parseObject(text);
  const { code, title, detail, errors } = problem;
  const reasons = Array.isArray(errors) ? errors.map((error) => JSON.stringify(error)).join(", ") : "";
  const message = [title, detail, reasons].filter((part) => typeof part === "string" && part !== "").join(": ") || text.slice(0, 200);
  return new RequestError(answer.status, typeof code === "string" ? code : "", `${answer.status} ${answer.url}: ${message}`);
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function fillPath(path: string, params: unknown): string {
  const values = new Map(Object.entries(params ?? {}));
  return path.replaceAll(/:(\w+)/g, (_match, name: string) => encodeURIComponent(String(values.get(name) ?? "")));
}
