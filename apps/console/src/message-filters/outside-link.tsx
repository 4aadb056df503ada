import { Link } from "@tanstack/react-router";
import { useText } from "../i18n/i18n.tsx";
import { isKeyList } from "./search.ts";

type OutsideLinkProps = { words?: string | undefined; keys?: string | undefined; subtenant?: string | undefined };

/** What there is no message of may have been refused as it came in, before it had a key: a list of keys is looked for by the keys, all else in the bodies. */
export default function OutsideLink({ words = "", keys = "", subtenant = "" }: OutsideLinkProps) {
  const t = useText();
  return (
    <Link
      to="/externalmessages"
      search={{ ...(isKeyList(keys) ? { key: keys } : { search: words || keys }), subtenant }}
      className="text-sm text-primary-ink underline"
    >
      {t("filter.lookOutside")}
    </Link>
  );
}
