import { type Row, ownRow } from "./report.ts";
import { makeLane, startInstallation } from "./installation.ts";

const bench = "imports";
const partRows = 2_000;

/** A CSV of so many stock levels, handed in part by part, until the last row has its outcome. */
export async function benchImports({ rows }: { rows: number }, say: (line: string) => void): Promise<Row[]> {
  const installation = await startInstallation();
  try {
    const { client } = installation;
    const { tenantCode } = await makeLane(client, installation.sandboxUrl, "imports");
    const params = { tenantCode };
    const from = {
      subtenantCode: "main",
      connector: "wgr" as const,
      code: "file",
      name: "File",
      direction: "source" as const,
      entityTypes: ["stock" as const],
    };
    const point = await client.call("createIntegrationPoint", { params, body: from });
    const mapping = { sku: "Artikel", quantity: "Antal" };
    const body = { integrationPointId: point.id, entityType: "stock" as const, name: "stock.csv", format: "csv" as const, mapping };
    const { id: runId } = await client.call("createImport", { params, body });
    say(`${rows.toLocaleString("en")} rows: handing them in`);
    let number = 0;
    for (let row = 0; row < rows; row += partRows) {
      number += 1;
      const lines = Array.from({ length: Math.min(partRows, rows - row) }, (_, index) => `S-${row + index};${(row + index) % 1_000}`);
      const text = `${row === 0 ? "Artikel;Antal\n" : ""}${lines.join("\n")}\n`;
      await client.call("putImportPart", { params: { ...params, runId, number }, body: { text } });
    }
    const begun = performance.now();
    await client.call("startImport", { params: { ...params, runId }, body: { parts: number, rows } });
    for (;;) {
      const run = await client.call("getRun", { params: { ...params, runId } });
      if (run.finishedAt !== null) {
        const seconds = (performance.now() - begun) / 1000;
        if (run.state !== "done" || run.accepted !== rows)
          throw new Error(`${run.state}: ${run.accepted} of ${rows} rows; ${run.fault ?? ""}`);
        return [
          ownRow(bench, `${rows.toLocaleString("en")} rows of CSV`, rows / seconds, "rows/s", { atLeast: 1_000 }),
          ownRow(bench, "whole file", seconds, "s"),
        ];
      }
      say(`${run.done.toLocaleString("en")} rows`);
      await new Promise((resolve) => setTimeout(resolve, 2_000));
    }
  } finally {
    await installation.stop();
  }
}
