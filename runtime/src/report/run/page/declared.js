// SPDX-License-Identifier: Apache-2.0
//
// What graphgen --explain knows of a callable from its declaration and its body, before anything has run.

// {"fixed": 40, "for each B": 32}
function bytesOf(parts) {
  const words = Object.entries(parts).map(([factor, count]) => (factor === "fixed" ? bytes(count) : `${bytes(count)} ${factor}`));
  return words.join(" and ") || bytes(0);
}

function list(title, lines) {
  return lines && lines.length !== 0 ? [element("h3", {}, title), element("ul", {}, lines.map(line => element("li", {}, line)))] : [];
}

function titled(title, columns, rows) { return rows && rows.length !== 0 ? [element("h3", {}, title), table(columns, rows)] : []; }

function inputsOf(inputs) {
  const rows = inputs.tensors.map(each => [code(each.name), code(each.type), bytesOf(each.bytes), each.how]);
  return titled(`Inputs of ${inputs.annotation}${inputs.at ? `, at ${inputs.at}` : ""}: ${bytesOf(inputs.bytes)} of static memory`,
    ["tensor", "type", ">bytes", "what a call does with it"], rows);
}

function watchedOf(title, members) {
  return titled(title, ["name", "what", "effect"], members && members.map(each => [code(each.name), each.what, each.effect]));
}

function writesOf(writes) {
  if (!writes) return [element("p", {class: "faint"}, "What its calls write is unknown: the file has no body of it.")];
  return titled("Writes that outlive a call, besides those of LibTorch's modules", ["what", "by", "in a graph"],
    writes.map(each => [each.target, code(each.operation), each.outcome]));
}

// What can be drawn before a capture.
function sourceGraphOf(callable) {
  const [graph] = callable.graphs;
  if (!graph) return [element("p", {class: "faint"}, "There is no picture: the file has no body of the function. Give graphgen the file that has it.")];
  if (graph.nodes.length === 0) return [];
  const words = "From the source, not from a capture: without views, sizes and the backward. An arrow leads to what uses the result; a loop is drawn once. " +
    "A grey box is a function whose body graphgen does not see." + (graph.cut_short ? " There are more operators than these." : "");
  return [drawing(graph.nodes, `Operators in the source: ${number(graph.nodes.length)}`, element("p", {class: "faint"}, words))];
}

function declaredOf(callable) {
  const {declared} = callable;
  if (!declared) return [];
  const parameters = declared.parameters.map(each => [code(each.name), each.type, each.scalar, each.default && code(each.default)]);
  return [
    element("p", {}, `A ${declared.kind}; its result: ${declared.result}.`, declared.overload ? code(` ${declared.overload}`) : ""),
    ...sourceGraphOf(callable),
    ...titled("Parameters", ["name", "type", "in the annotation", "default"], parameters),
    ...declared.inputs.flatMap(inputsOf),
    ...watchedOf("Members of the object that each call looks at", declared.object_members),
    ...watchedOf("Variables that each call looks at", declared.variables),
    ...watchedOf("Objects among the arguments", declared.object_arguments),
    ...writesOf(declared.writes),
    ...list("Calls of functions that the file has no body of", declared.calls_elsewhere),
    ...list("Captures", declared.captures),
    ...list("A call runs the original function where", declared.misses),
  ];
}

// Diagnostics of the run.
function findingsOf(findings) {
  if (findings.length === 0) return [element("p", {}, "graphgen has no findings.")];
  return titled("Findings", ["level", "finding", "place", "page"], findings.map(each =>
    [each.level, each.message, each.file ? code(`${each.file}:${each.line}:${each.column}`) : "", each.page ? pageOf(each.page) : ""]));
}
