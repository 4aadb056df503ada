/** Prometheus' text format, version 0.0.4: https://prometheus.io/docs/instrumenting/exposition_formats/ */
export const contentType = "text/plain; version=0.0.4; charset=utf-8";

type Labels = Record<string, string>;
/** `suffix` for the parts of a histogram. */
export type Sample = { suffix?: "_bucket" | "_sum" | "_count"; labels: Labels; value: number };
export type Family = { name: string; type: "counter" | "gauge" | "histogram"; help: string; samples: readonly Sample[] };

export function familyText({ name, type, help, samples }: Family): string {
  const lines = samples.map(({ suffix = "", labels, value }) => `${name}${suffix}${labelText(labels)} ${value}`);
  return [`# HELP ${name} ${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}`, `# TYPE ${name} ${type}`, ...lines, ""].join("\n");
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escaped(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"');
}
