import type { CurrentUser } from "@crossdock/contract";

/** How somebody is called on screen. */
export function displayName(user: Pick<CurrentUser, "name" | "email">): string {
  return user.name || user.email;
}

/** The photo, or else the first letter of the name. */
export function Avatar({ name, photo, className = "size-9" }: { name: string; photo?: string | null; className?: string }) {
  if (photo) return <img src={photo} alt="" className={`shrink-0 rounded-full object-cover ${className}`} />;
  return (
    <span aria-hidden className={`grid shrink-0 place-items-center rounded-full bg-secondary font-semibold text-on-secondary ${className}`}>
      {firstLetter(name)}
    </span>
  );
}

/** A letter may be more than one UTF-16 unit. */
function firstLetter(name: string): string {
  return (Array.from(name.trim())[0] ?? "").toUpperCase();
}
