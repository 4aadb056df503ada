import { useText } from "../i18n/i18n.tsx";
import { connectorTexts } from "./connector-texts.ts";

/** What a connector's schema says in English, in the console's language; addresses and words that are not known stay as they are. */
export function useConnectorWords(): (english: string | null) => string {
  const t = useText();
  return (english) => {
    if (english === null) return "";
    const key = connectorTexts[english];
    return key === undefined ? english : t(key);
  };
}
