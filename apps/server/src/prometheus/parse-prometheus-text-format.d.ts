declare module "parse-prometheus-text-format" {
  type Series = { labels?: Record<string, string>; value: string; buckets?: Record<string, string> };
  export default function parse(text: string): { name: string; help: string; type: string; metrics: Series[] }[];
}
