import { Link } from "@tanstack/react-router";
import { ArrowLeft } from "lucide-react";
import { buttonClass } from "./button.tsx";

/** The way from an object to its list. */
export function BackLink({
  to,
  label,
}: {
  to: "/tenant-list" | "/configuration" | "/queue" | "/deadletter-list" | "/externalmessages" | "/users";
  label: string;
}) {
  return (
    <Link to={to} className={buttonClass()}>
      <ArrowLeft aria-hidden className="size-4 rtl:-scale-x-100" />
      {label}
    </Link>
  );
}
