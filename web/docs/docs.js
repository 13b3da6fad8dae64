// SPDX-License-Identifier: Apache-2.0
// Renders openapi.json: every operation with its fields, examples and a button that sends them to this very server.
const METHODS = ["get", "post", "put", "delete", "patch"];
const byId = (id) => document.getElementById(id);
let api;

/** An element; text is always text, never markup. */
function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children.filter((child) => child !== null));
  return made;
}

/** The schema behind a $ref. */
function resolved(schema) {
  if (!schema?.$ref) return schema ?? {};
  return schema.$ref.slice(2).split("/").reduce((node, name) => node[name], api);
}

/** "string", "list of Label", "open or standard", in a few words. */
function kind(schema) {
  if (schema.$ref) return schema.$ref.split("/").pop();
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.filter((value) => value !== null).map((value) => JSON.stringify(value)).join(" | ");
  const options = schema.oneOf ?? schema.anyOf;
  if (options) return options.map(kind).join(" | ");
  if ([schema.type].flat().includes("array") && schema.items) return `list of ${kind(schema.items)}`;
  return [schema.type ?? "any"].flat().filter((name, _, all) => name !== "null" || all.length === 1).join(" | ");
}

function limits(schema) {
  const said = [];
  if (schema.default !== undefined) said.push(`default ${JSON.stringify(schema.default)}`);
  if (schema.minimum !== undefined) said.push(`${schema.minimum} to ${schema.maximum ?? "…"}`);
  if (schema.maxLength !== undefined) said.push(`at most ${schema.maxLength} characters`);
  if (schema.maxItems !== undefined) said.push(`at most ${schema.maxItems}`);
  return said.join("; ");
}

function fieldRow(name, schema, required) {
  const description = [schema.description ?? resolved(schema).description, limits(schema)].filter(Boolean).join(" — ");
  return element("tr", {}, element("td", {}, element("code", { textContent: name }), required ? " *" : ""),
    element("td", {}, element("code", { textContent: kind(schema) })), element("td", { textContent: description }));
}

function fieldTable(schema) {
  const body = resolved(schema);
  if (body.oneOf ?? body.anyOf) return element("div", {}, ...(body.oneOf ?? body.anyOf).map(fieldTable));
  if (!body.properties) return element("p", {}, element("code", { textContent: kind(body) }));
  const rows = Object.entries(body.properties)
    .map(([name, field]) => fieldRow(name, field, body.required?.includes(name)));
  return element("table", {}, element("tbody", {}, ...rows));
}

function exampleOf(content) {
  if (!content) return undefined;
  return content.example ?? Object.values(content.examples ?? {})[0]?.value;
}

/** Path parameters are asked for; what comes back is shown as it is. */
async function send(method, path, body, shown) {
  let filled = path;
  for (const [whole, name] of path.matchAll(/\{(\w+)\}/g)) {
    const value = byId(`${method}${path}-${name}`).value;
    filled = filled.replace(whole, encodeURIComponent(value));
  }
  const headers = { "Content-Type": "application/json" };
  if (byId("key").value) headers.Authorization = `Bearer ${byId("key").value}`;
  shown.hidden = false;
  shown.textContent = "…";
  try {
    const answer = await fetch(filled.slice(1), { method: method.toUpperCase(), headers, body });
    const text = await answer.text();
    const json = answer.headers.get("content-type")?.startsWith("application/json");
    shown.className = answer.ok ? "" : "status-bad";
    shown.textContent = `${answer.status}\n${json ? JSON.stringify(JSON.parse(text), null, 2) : text}`;
  } catch (problem) {
    shown.className = "status-bad";
    shown.textContent = `No answer: ${problem.message}`;
  }
}

function trial(method, path, operation) {
  const example = exampleOf(operation.requestBody?.content?.["application/json"]);
  const shown = element("pre", { hidden: true, tabIndex: 0 });
  const text = example === undefined ? null
    : element("textarea", { value: JSON.stringify(example, null, 2), rows: 10, spellcheck: false,
      ariaLabel: `Body of ${path}` });
  const inputs = (operation.parameters ?? []).filter((parameter) => parameter.in === "path")
    .map((parameter) => element("label", {}, `${parameter.name} `,
      element("input", { id: `${method}${path}-${parameter.name}` }), " "));
  const button = element("button", { textContent: "Send", onclick: () => send(method, path, text?.value, shown) });
  return element("div", {}, element("h4", { textContent: "Try it" }), text, ...inputs, button, shown);
}

function answers(operation) {
  const rows = Object.entries(operation.responses).map(([status, response]) => {
    const { description, content } = resolved(response);
    const kinds = Object.entries(content ?? {})
      .map(([type, { schema }]) => `${type}${schema ? `: ${kind(schema)}` : ""}`);
    return element("tr", {}, element("td", {}, element("code", { textContent: status })),
      element("td", { textContent: description }), element("td", {}, element("code", { textContent: kinds.join("; ") })));
  });
  return element("table", {}, element("tbody", {}, ...rows));
}

function article(method, path, operation) {
  const request = operation.requestBody?.content?.["application/json"]?.schema;
  const response = operation.responses["200"]?.content?.["application/json"]?.schema;
  const parts = [
    element("h3", {}, element("span", { className: "method", textContent: method.toUpperCase() }), `${path} `,
      element("span", { className: "tag", textContent: operation.security?.length === 0 ? "open" : "" })),
    element("p", { textContent: operation.description ?? operation.summary }),
  ];
  const queries = (operation.parameters ?? []);
  if (queries.length) {
    parts.push(element("h4", { textContent: "Parameters" }), element("table", {}, element("tbody", {},
      ...queries.map((query) => fieldRow(`${query.name} (${query.in})`,
        { ...query.schema, description: query.description }, query.required)))));
  }
  if (request) parts.push(element("h4", { textContent: "Body" }), fieldTable(request));
  parts.push(element("h4", { textContent: "Answers" }), answers(operation));
  if (response) {
    parts.push(element("details", {}, element("summary", { textContent: "Fields of the answer" }), fieldTable(response)));
  }
  parts.push(trial(method, path, operation));
  return element("article", { id: operation.operationId }, ...parts);
}

function render() {
  byId("version").textContent = api.info.version;
  for (const { name: tag, description } of api.tags) {
    const list = element("ul");
    byId("contents").append(element("h2", { textContent: description ?? tag }), list);
    for (const [path, item] of Object.entries(api.paths)) {
      for (const method of METHODS.filter((name) => item[name]?.tags?.includes(tag))) {
        byId("operations").append(article(method, path, item[method]));
        list.append(element("li", {}, element("a", { href: `#${item[method].operationId}` },
          element("span", { className: "method", textContent: method.toUpperCase() }), path)));
      }
    }
  }
  for (const name of Object.keys(api.components.schemas)) {
    byId("operations").append(element("article", { id: `schema-${name}` },
      element("h3", { textContent: name }), fieldTable({ $ref: `#/components/schemas/${name}` })));
  }
  document.getElementById(location.hash.slice(1))?.scrollIntoView();
}

try {
  const answer = await fetch("openapi.json");
  api = await answer.json();
  render();
} catch (problem) {
  byId("problem").hidden = false;
  byId("problem").textContent = `openapi.json cannot be read: ${problem.message}`;
}
