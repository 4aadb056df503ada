import { Link, linkOptions, type LinkProps } from "@tanstack/react-router";
import { Maximize2 } from "lucide-react";
import { useText } from "../i18n/i18n.tsx";
import { Drawer } from "../ui/drawer.tsx";
import { useNeighbours } from "../ui/neighbours.ts";
import type { List } from "../ui/use-list.ts";
import { MessageBody } from "./message-body.tsx";

type MessagePanelProps = {
  tenantCode: string;
  list: List<{ id: string; key: string }>;
  openId: string;
  onOpen: (id: string | undefined) => void;
  /** The page of its own that the list leads to; that of any message where there is none. */
  pageOf?: (id: string) => LinkProps | undefined;
};

const messagePage = (messageId: string) => linkOptions({ to: "/queue/details/$messageId", params: { messageId } });

/** A message in full beside the list it stands in, with the way to its neighbours there. */
export default function MessagePanel({ tenantCode, list, openId, onOpen, pageOf }: MessagePanelProps) {
  const t = useText();
  const { row, ...ways } = useNeighbours(list, openId, onOpen);
  return (
    <Drawer
      isOpen
      onClose={() => onOpen(undefined)}
      title={row?.key ?? t("details.title")}
      {...ways}
      actions={
        <Link
          {...(pageOf?.(openId) ?? messagePage(openId))}
          aria-label={t("drawer.asPage")}
          title={t("drawer.asPage")}
          className="inline-grid size-9 shrink-0 place-items-center rounded-full hover:bg-hover"
        >
          <Maximize2 aria-hidden className="size-4" />
        </Link>
      }
    >
      <MessageBody key={openId} tenantCode={tenantCode} messageId={openId} />
    </Drawer>
  );
}
