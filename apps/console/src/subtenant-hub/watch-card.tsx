import type { ReactNode } from "react";
import { Calm } from "../ui/calm.tsx";
import { Card } from "../ui/page.tsx";
import { ErrorState, Loading } from "../ui/states.tsx";

type WatchCardProps = {
  title: string;
  /** Leads to all of them. */
  link: ReactNode;
  query: { isPending: boolean; error: Error | null; refetch: () => unknown };
  /** What stands there when nothing is listed. */
  calm: string;
  children: ReactNode[];
};

/** What needs somebody in this subtenant. However much that is, the card has one height, so that nothing below it moves when news come. */
export function WatchCard({ title, link, query, calm, children }: WatchCardProps) {
  return (
    <Card title={title} actions={link} className="min-w-0">
      <div className="h-40 overflow-y-auto">
        {children.length > 0 ? <ul className="divide-y divide-line">{children}</ul> : <Empty query={query} calm={calm} />}
      </div>
    </Card>
  );
}

function Empty({ query: { isPending, error, refetch }, calm }: Pick<WatchCardProps, "query" | "calm">) {
  if (error) return <ErrorState detail={error.message} onRetry={() => void refetch()} />;
  return isPending ? <Loading rows={3} /> : <Calm>{calm}</Calm>;
}
