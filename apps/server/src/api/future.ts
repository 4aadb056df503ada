import { ApiError } from "../errors/errors.ts";
import { because, faultBecause } from "../errors/faults.ts";

/** Throws validation-failed for a time of the request's body that is over. */
export function requireFuture(name: string, time: string | null | undefined): void {
  if (time == null || Date.parse(time) > Date.now()) return;
  throw new ApiError("validation-failed", { ...because("time-passed"), errors: [faultBecause(`body/${name}`, "time-passed")] });
}
