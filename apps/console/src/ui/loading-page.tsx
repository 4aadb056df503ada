import { Loading } from "./states.tsx";

export function LoadingPage() {
  return (
    <div className="mx-auto max-w-3xl">
      <Loading rows={8} />
    </div>
  );
}
