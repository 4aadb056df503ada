import { useLocation } from "@tanstack/react-router";
import { ArrowLeft } from "lucide-react";
import { lastAddressOf } from "../last-address.ts";
import { buttonClass } from "./button.tsx";
import { useFollow } from "./row-link.tsx";

/** The way from an object to its list, as that was left. */
export function BackLink({
  to,
  label,
}: {
  to: "/tenant-list" | "/configuration" | "/queue" | "/deadletter-list" | "/externalmessages" | "/users";
  label: string;
}) {
  // Some lists open an object in their own place, under the same path.
  const isSamePath = useLocation({ select: ({ pathname }) => pathname === to });
  const href = isSamePath ? to : lastAddressOf(to);
  return (
    <a href={href} onClick={useFollow(href)} className={buttonClass()}>
      <ArrowLeft aria-hidden className="size-4 rtl:-scale-x-100" />
      {label}
    </a>
  );
}
