/** Checks a tool's arguments against its JSON Schema: required, types, enum, items, nested properties. Other keywords
 * are the tool's own business. Answers with one sentence a problem, for the model to act on. */
export function checkArguments(value: unknown, schema: Record<string, unknown>, path = "arguments"): string[] {
  const problems: string[] = [];
  const types = Array.isArray(schema.type) ? schema.type : schema.type === undefined ? [] : [schema.type];
  if (types.length > 0 && !types.some((type) => hasType(value, String(type)))) {
    return [`${path} must be ${types.join(" or ")}, but is ${nameOf(value)}`];
  }
  if (Array.isArray(schema.enum) && !schema.enum.some((allowed) => allowed === value)) {
    problems.push(`${path} must be one of ${schema.enum.map((each) => JSON.stringify(each)).join(", ")}`);
  }
  if (isObject(value)) {
    const properties = isObject(schema.properties) ? schema.properties : {};
    for (const name of Array.isArray(schema.required) ? schema.required : []) {
      if (value[name] === undefined) problems.push(`${path}.${name} is missing`);
    }
    for (const [name, each] of Object.entries(value)) {
      const inner = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (each !== undefined && isObject(inner)) problems.push(...checkArguments(each, inner, `${path}.${name}`));
      else if (inner === undefined && schema.additionalProperties === false) {
        problems.push(`${path}.${name} is not known: use ${Object.keys(properties).join(", ") || "no arguments"}`);
      }
    }
  }
  if (Array.isArray(value) && isObject(schema.items)) {
    for (const [index, each] of value.entries()) {
      problems.push(...checkArguments(each, schema.items, `${path}[${index}]`));
    }
  }
  return problems;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function hasType(value: unknown, type: string): boolean {
  switch (type) {
    case "object":
      return isObject(value);
    case "array":
      return Array.isArray(value);
    case "integer":
      return Number.isInteger(value);
    case "number":
      return typeof value === "number";
    case "null":
      return value === null;
    case "string":
      return typeof value === "string";
    case "boolean":
      return typeof value === "boolean";
    default:
      return true; // no type of JSON Schema: the tool's own business
  }
}

function nameOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
}
