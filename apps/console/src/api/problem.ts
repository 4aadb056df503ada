import type { Problem } from "@crossdock/contract";

/** An answer that isn't a success, or (status 0) no answer at all. */
export class ApiError extends Error {
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.detail ?? problem.title);
    this.problem = problem;
  }
}

/** Reads problem+json; something in between, such as a proxy, may answer in another form. */
export async function readProblem(response: Response): Promise<Problem> {
  const unreadable = { type: "about:blank", title: response.statusText, status: response.status, code: "unreadable", requestId: "" };
  const read: Partial<Problem> | null = await response.json().catch(() => null);
  return typeof read?.code === "string" ? { ...unreadable, ...read } : unreadable;
}
