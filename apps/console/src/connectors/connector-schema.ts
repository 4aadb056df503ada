/** The parts of a JSON Schema that the forms understand; whatever else a connector has is edited as JSON. */
export type Field = {
  name: string;
  /** In English, as the schema has them: `useConnectorWords` tells them in the console's language. */
  label: string;
  help: string | null;
  kind: "text" | "number" | "switch" | "choice" | "json";
  /** As they are stored; `useConnectorWords` has words for them, too. */
  choices: readonly string[];
  isRequired: boolean;
  /** Shown while nothing is set. */
  fallback: unknown;
};

export function fieldsOf(schema: Record<string, unknown>): Field[] {
  const required = texts(schema["required"]);
  return Object.entries(record(schema["properties"])).map(([name, given]) => {
    const property = record(given);
    const choices = texts(property["enum"]);
    return {
      name,
      label: text(property["title"]) ?? name,
      help: text(property["description"]),
      kind: kindOf(property, choices),
      choices,
      isRequired: required.includes(name) && property["default"] === undefined,
      fallback: property["default"],
    };
  });
}

function kindOf(property: Record<string, unknown>, choices: readonly string[]): Field["kind"] {
  if (choices.length > 0) return "choice";
  if (property["type"] === "boolean") return "switch";
  if (property["type"] === "number" || property["type"] === "integer") return "number";
  return property["type"] === "string" ? "text" : "json";
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}

const text = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);
const texts = (value: unknown): string[] => (Array.isArray(value) ? value.filter((one) => typeof one === "string") : []);
