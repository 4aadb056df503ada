import type { ReactNode } from "react";

type ErrorPageProps = { picture: ReactNode; heading: string; children?: ReactNode };

/** A page that has nothing to show but why. */
export function ErrorPage({ picture, heading, children }: ErrorPageProps) {
  return (
    <div className="grid min-h-[65dvh] animate-appear place-content-center justify-items-center gap-3 p-4 text-center">
      {picture}
      <h1 className="max-w-xl text-xl font-semibold text-balance outline-none">{heading}</h1>
      {children}
    </div>
  );
}
