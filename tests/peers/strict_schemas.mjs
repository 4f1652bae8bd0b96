// Reads the bodies of requests, one a line, and prints for each schema that is sent as strict what OpenAI's own helper would make
// of it where that is something else.
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const { toStrictJsonSchema } = createRequire(`${process.cwd()}/`)("openai/lib/transform");

/** Whether two values are the same, whatever the order of members is. */
function same(left, right) {
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return left === right;
  const [names, others] = [Object.keys(left), Object.keys(right)];
  return names.length === others.length && names.every((name) => Object.hasOwn(right, name) && same(left[name], right[name]));
}

let checked = 0;
for await (const text of createInterface({ input: process.stdin })) {
  const line = JSON.parse(text);
  for (const tool of line.body?.tools ?? []) {
    const described = tool.function ?? tool;
    if (described.strict !== true || described.parameters === undefined) continue;
    checked += 1;
    let complaint = null;
    try {
      const made = toStrictJsonSchema(described.parameters);
      if (!same(made, described.parameters)) {
        complaint = `${JSON.stringify(described.parameters)} becomes ${JSON.stringify(made)}`;
      }
    } catch (error) {
      complaint = `${error.message}: ${JSON.stringify(described.parameters)}`;
    }
    console.log(JSON.stringify({ ...line, body: undefined, complaint }));
  }
}
