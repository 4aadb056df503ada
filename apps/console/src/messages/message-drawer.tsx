import { Suspense, type ComponentProps } from "react";
import { firstPart } from "../lazy-screen.ts";
import type PanelOfMessage from "./message-panel.tsx";

const MessagePanel = firstPart(() => import("./message-panel.tsx"));

type MessageDrawerProps = Omit<ComponentProps<typeof PanelOfMessage>, "openId"> & { openId: string | undefined };

/** A message beside any list of messages; its code comes with the first one that is opened. */
export function MessageDrawer({ openId, ...rest }: MessageDrawerProps) {
  return <Suspense fallback={null}>{openId !== undefined && <MessagePanel openId={openId} {...rest} />}</Suspense>;
}
