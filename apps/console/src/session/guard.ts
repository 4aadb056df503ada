import { redirect } from "@tanstack/react-router";
import { mayOpen, notFoundPath, routeTable, startPath, type RouteRule } from "../routes.ts";
import { session } from "./session.ts";
import { initialPath } from "../settings.ts";

/** Somebody who is signed in doesn't need the screens before the sign-in: leads on to what they asked for first, or to the start. */
export function passOn(): void {
  if (session.user()) throw redirect({ href: initialPath.get() ?? startPath, replace: true });
}

export function guard(href: string, rule: RouteRule | undefined): void {
  const user = session.user();
  if (!user) {
    if (isWorthRemembering(href)) initialPath.remember(href);
    throw redirect({ to: "/signin", replace: true });
  }
  const isRemembered = initialPath.get() === href;
  initialPath.forget();
  // The page that says so is open to everybody signed in: people without any role would otherwise have nowhere to go.
  if (href === notFoundPath || (rule && mayOpen(user, rule))) return;
  // The one who asked before may have been somebody else.
  const to = isRemembered && mayOpen(user, routeTable[startPath]) ? startPath : notFoundPath;
  throw redirect({ to, replace: true, state: { refused: rule?.title } });
}

/** Worth returning to is what somebody asked for before signing in: not where the console itself sent them, nor an error. */
function isWorthRemembering(href: string): boolean {
  return href !== "/" && !href.startsWith("/error-pages/") && !session.hasSignedOut();
}
