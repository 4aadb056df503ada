import type { ExternalMessageDetails } from "@crossdock/contract";

/** What was wrong, and where. */
export function ReasonList({ reasons }: { reasons: ExternalMessageDetails["reasons"] }) {
  return (
    <ul className="mt-1 grid gap-1">
      {reasons.map(({ path, message }, index) => (
        <li key={index} dir="auto" className="break-words rtl:text-right">
          {path !== "" && (
            <code dir="ltr" className="rounded bg-paper px-1.5 py-0.5 font-mono text-xs text-ink">
              {path}
            </code>
          )}{" "}
          {message}
        </li>
      ))}
    </ul>
  );
}
