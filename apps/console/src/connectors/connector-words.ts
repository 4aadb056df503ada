import type { Connector } from "@crossdock/contract";
import { fieldsOf } from "./connector-schema.ts";
import { connectorTexts } from "./connector-texts.ts";
import { useText } from "../i18n/i18n.tsx";

/** What a connector's schema says in English, in the console's language; addresses and words that are not known stay as they are. */
export function useConnectorWords(): (english: string | null) => string {
  const t = useText();
  return (english) => {
    if (english === null) return "";
    const key = connectorTexts[english];
    return key === undefined ? english : t(key);
  };
}

/** What the fields of a connector's settings and credentials are called, by their names. */
export function useFieldLabels(connector: Connector | undefined): (name: string) => string {
  const words = useConnectorWords();
  return (name) => {
    const fields = [connector?.settingsSchema, connector?.credentialsSchema].flatMap((schema = {}) => fieldsOf(schema));
    return words(fields.find((field) => field.name === name)?.label ?? name);
  };
}
