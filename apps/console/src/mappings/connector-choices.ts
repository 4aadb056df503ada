import type { ConnectorCode } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useText } from "../i18n/i18n.tsx";
import { connectorsQuery } from "../session/workspace.ts";

type Choice<Value> = { value: Value; label: string };

/** What a mapping's source and target may be. */
export function useConnectorChoices(): { sources: Choice<ConnectorCode | "*">[]; targets: Choice<ConnectorCode>[] } {
  const t = useText();
  const { data: connectors } = useQuery(connectorsQuery);
  return useMemo(() => {
    const targets = (connectors ?? []).map(({ code, name }) => ({ value: code, label: name }));
    return { targets, sources: [{ value: "*" as const, label: t("mappings.anySource") }, ...targets] };
  }, [connectors, t]);
}
