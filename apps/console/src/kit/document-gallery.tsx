import { lazy, Suspense } from "react";
import { JsonViewer } from "../ui/json/json-viewer.tsx";
import { Card } from "../ui/page.tsx";
import { Loading } from "../ui/states.tsx";
import { Gallery } from "./specimen.tsx";

const JsonDiffViewer = lazy(() => import("../ui/json/json-diff-viewer.tsx"));

const order = {
  number: "10023",
  customer: { name: "Åsa Öberg", email: "asa@example.org", password: "never shown" },
  credentials: { apiKey: "abc", user: "shop" },
  lines: [
    { lineNumber: 1, sku: "LAMP-1", quantity: 2, price: { amount: "129.00", currency: "SEK" } },
    { lineNumber: 2, sku: "BULB-7", quantity: 6, price: { amount: "19.50", currency: "SEK" } },
  ],
  isPaid: true,
  note: null,
};
const later = {
  ...order,
  isPaid: false,
  lines: [
    order.lines[0] ?? null,
    { lineNumber: 2, sku: "BULB-7", quantity: 4, price: { amount: "19.50", currency: "SEK" } },
    { lineNumber: 3, sku: "CORD-2", quantity: 1 },
  ],
  shipping: "express",
};
/** About 40,000 lines. */
const large = JSON.stringify({
  rows: Array.from({ length: 8000 }, (_, index) => ({ id: index, name: `Row ${index}`, tags: [index % 7] })),
});

export function DocumentGallery() {
  return (
    <Gallery title="Documents">
      <Card title="A document">
        <JsonViewer text={JSON.stringify(order)} label="Order" />
      </Card>
      <Card title="The difference of two documents">
        <Suspense fallback={<Loading />}>
          <JsonDiffViewer before={order} after={later} label="Changes of the order" />
        </Suspense>
      </Card>
      <Card title="A large document">
        <JsonViewer text={large} label="Many rows" />
      </Card>
      <Card title="Not a document, and a small one">
        <JsonViewer text="502 Bad Gateway: upstream did not answer" label="Answer" />
        <JsonViewer text='{"id":"1"}' label="Short answer" isSearchable={false} />
      </Card>
    </Gallery>
  );
}
