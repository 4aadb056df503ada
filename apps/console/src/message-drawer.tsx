import { Suspense, type ComponentProps } from "react";
import { lazyPart } from "./lazy-screen.ts";
import type PanelOfMessage from "./messages/message-panel.tsx";

const MessagePanel = lazyPart(() => import("./messages/message-panel.tsx"));

type MessageDrawerProps = Omit<ComponentProps<typeof PanelOfMessage>, "openId"> & { openId: string | undefined };

/** A message beside any list of messages; its code comes with the first one that is opened. */
export function MessageDrawer({ openId, ...rest }: MessageDrawerProps) {
  return <Suspense fallback={null}>{openId !== undefined && <MessagePanel openId={openId} {...rest} />}</Suspense>;
}
