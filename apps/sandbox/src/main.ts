import { parseArgs } from "node:util";
import { startSandbox } from "./sandbox.ts";

const { values } = parseArgs({ options: { port: { type: "string", default: "8090" }, memory: { type: "string" } } });
const sandbox = await startSandbox({ port: Number(values.port), memoryFile: values.memory }).catch((error: Error) => {
  console.error(`sandbox: ${error.message}`);
  process.exit(1);
});
console.log(`sandbox listening on ${sandbox.url}`);

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void sandbox.close());
