import type { ApiKeyScope } from "@crossdock/contract";
import type { TextKey } from "../i18n/i18n.tsx";

/** What a key may do. */
export const scopeTexts: Record<ApiKeyScope, TextKey> = {
  gateway: "apiKeys.scope.gateway",
  read: "apiKeys.scope.read",
  operate: "apiKeys.scope.operate",
  configure: "apiKeys.scope.configure",
};
