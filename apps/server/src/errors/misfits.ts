import type { z } from "zod";

type Issue = z.core.$ZodIssue;
type Union = Extract<Issue, { code: "invalid_union" }>;

/** An issue, or what a union's says of its forms: which fields tell them apart, or of which kinds they are. */
export type Misfit = Issue | NoAlternative | WrongKind;
type NoAlternative = { code: "no-alternative"; path: PropertyKey[]; names: string[]; message: string };
type WrongKind = { code: "wrong-kind"; path: PropertyKey[]; kinds: string; message: string };

/**
 * What is wrong with a value, where a schema says only that it fits none of several forms: that of the form which it comes closest to. Paths
 * are from where the issue's own begins.
 */
export function misfitsOf(issue: Issue): Misfit[] {
  if (issue.code === "invalid_key" || issue.code === "invalid_element") return issue.issues.flatMap((inner) => below(issue.path, inner));
  if (issue.code !== "invalid_union") return [issue];
  const { path } = issue;
  const offered = "options" in issue && Array.isArray(issue.options) ? issue.options.filter(isPrimitive) : [];
  if (offered.length > 0) return [{ code: "invalid_value", values: offered, path, message: issue.message }];
  const [first, ...others] = closest(issue);
  if (!first) return [otherKind(issue)];
  if (others.length === 0) return first.flatMap((inner) => below(path, inner));
  const names = namesLacking([first, ...others]);
  if (names.length === 0) return first.flatMap((inner) => below(path, inner));
  return [{ code: "no-alternative", path, names, message: `exactly one of these is needed: ${names.join(", ")}` }];
}

function below(path: readonly PropertyKey[], inner: Issue): Misfit[] {
  return misfitsOf({ ...inner, path: [...path, ...inner.path] });
}

/** The forms that the value is of the kind of, but for those in which it lacks or has more fields than in another. */
function closest({ errors }: Union): Issue[][] {
  const ofKind = errors.filter((form) => form.length > 0 && !form.some(isOfOtherKind));
  const strays = ofKind.map((form) => form.filter((issue) => isMissing(issue) || isStrange(issue)).length);
  const fewest = Math.min(...strays);
  return ofKind.filter((_form, index) => strays[index] === fewest);
}

const isOfOtherKind = ({ code, path }: Issue): boolean => path.length === 0 && (code === "invalid_type" || code === "invalid_value");
const isUndefined = ({ code, message }: Issue): boolean => code === "invalid_type" && message.endsWith("received undefined");
const isMissing = (issue: Issue): boolean => issue.path.length === 1 && isUndefined(issue);
const isStrange = ({ code, path }: Issue): boolean => path.length === 0 && code === "unrecognized_keys";
const isPrimitive = (value: unknown): value is string | number | boolean => ["string", "number", "boolean"].includes(typeof value);

/** The fields that tell the forms apart; where none is missing, those that don't go together. */
function namesLacking(forms: Issue[][]): string[] {
  const issues = forms.flat();
  const missing = issues.filter(isMissing).map(({ path }) => String(path[0]));
  const strange = issues.flatMap((issue) => (issue.code === "unrecognized_keys" && isStrange(issue) ? issue.keys : []));
  return [...new Set(missing.length > 0 ? missing : strange)];
}

/** One of several kinds of value was expected, and this is of none of them. */
function otherKind({ errors, path }: Union): Misfit {
  const roots = errors.flat().filter(isOfOtherKind);
  const [absent] = roots.filter(isUndefined);
  if (absent) return { ...absent, path };
  const values = roots.flatMap((issue) => (issue.code === "invalid_value" ? issue.values : []));
  const kinds = roots.flatMap((issue) => (issue.code === "invalid_type" ? [issue.expected] : []));
  if (kinds.length === 0) return { code: "invalid_value", values, path, message: `must be one of: ${values.map(String).join(", ")}` };
  const [kind = "", ...others] = [...new Set([...kinds, ...values.map((value) => JSON.stringify(value))])];
  const same = roots.find(({ code }) => code === "invalid_type");
  if (others.length === 0 && same) return { ...same, path };
  const told = [kind, ...others].join(", ");
  return { code: "wrong-kind", path, kinds: told, message: `must be of one of these kinds: ${told}` };
}
