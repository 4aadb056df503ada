import { useEffect } from "react";
import { reloadOnceReachable } from "../lazy-screen.ts";
import { Loading } from "./states.tsx";

export function LoadingPage() {
  return (
    <div className="mx-auto max-w-3xl">
      <Loading rows={8} />
    </div>
  );
}

/** What stands where not even the page that says what went wrong could be loaded. */
export function LoadedAgain() {
  useEffect(() => void reloadOnceReachable(), []);
  return <LoadingPage />;
}
