// SPDX-License-Identifier: Apache-2.0
//
// The page: what report.json says, as tables, bars and pictures.

window.onerror = message => {
  document.getElementById("page").prepend(element("p", {id: "error"}, `This page has an error: ${message}`));
};

const number = value => value.toLocaleString("en-US");
const plural = (count, word) => `${number(count)} ${word}${count === 1 ? "" : /(s|ch)$/.test(word) ? "es" : "s"}`;
const code = text => element("code", {}, text);

// Columns are names; a name that begins with ">" is of numbers.
function table(columns, rows) {
  const side = name => (name.startsWith(">") ? {class: "right"} : {});
  return element("div", {class: "scroll"}, element("table", {},
    element("thead", {}, element("tr", {}, columns.map(name => element("th", side(name), name.replace(">", ""))))),
    element("tbody", {}, rows.map(row => element("tr", {}, row.map((cell, i) => element("td", side(columns[i]), cell ?? "")))))));
}

function card(value, words) { return element("div", {class: "card"}, element("b", {}, value), element("span", {}, words)); }

const colours = {"warm-up": "warmup", capture: "capture", replay: "replay", miss: "miss"};

function legend(kinds) {
  return element("div", {class: "legend"}, kinds.map(([words, colour]) =>
    element("span", {}, element("i", {style: `background: var(--${colour})`}), words)));
}

function callsBar(statistics) {
  const misses = missesIn(statistics);
  const parts = [["warm-ups", "warmup", statistics.warmups], ["replays", "replay", statistics.replays], ["misses", "miss", misses]];
  const bar = parts.filter(([, , count]) => count > 0).map(([words, colour, count]) =>
    element("div", {style: `background: var(--${colour}); flex: ${count}; min-width: 3px`, title: `${words}: ${count}`}));
  return [element("div", {class: "bar"}, bar), legend(parts.map(([words, colour, count]) => [`${words} ${number(count)}`, colour]))];
}

const pageOf = page => (/^https?:/.test(page) ? element("a", {href: page}, page) : element("span", {class: "faint"}, page));

function missesOf(callable) {
  if (callable.misses.length === 0) return [];
  const rows = callable.misses.map(miss => [code(miss.reason), number(miss.calls), miss.what_to_do, pageOf(miss.page)]);
  const made = [element("h3", {}, "Calls that ran the original function"), table(["reason", ">calls", "what to do", "page"], rows)];
  if (callable.misses_by_parameter.length !== 0) {
    made.push(table(["parameter", "reason", ">calls", "the last one"],
      callable.misses_by_parameter.map(miss => [code(miss.parameter), code(miss.reason), number(miss.calls), miss.last])));
  }
  return made;
}

// The heights are logarithms: a capture takes a thousand times as long as a replay.
function timeLine(calls) {
  if (calls.length === 0) return [];
  const width = 12, height = 90, times = calls.map(call => Math.max(call.host_microseconds, 0.1));
  const low = Math.log(Math.min(...times)) - 1, high = Math.log(Math.max(...times));
  const bars = calls.map((call, i) => {
    const tall = Math.max(3, (height - 4) * (Math.log(times[i]) - low) / (high - low));
    const words = `call ${i + 1}: ${call.kind}${call.reason ? ` (${call.reason})` : ""}, ${time(call.host_microseconds)}, thread ${call.thread}`;
    return element("rect", {x: i * width + 1, y: height - tall, width: width - 2, height: tall, fill: `var(--${colours[call.kind]})`},
      element("title", {}, words));
  });
  return [
    element("h3", {}, `The first ${plural(calls.length, "call")}`),
    element("div", {class: "scroll"}, element("svg", {width: Math.max(calls.length * width, 60), height, role: "img"}, bars)),
    legend(Object.entries(colours)),
    element("p", {class: "faint"}, `Heights are logarithms of the host's time: from ${time(Math.min(...times))} to ${time(Math.max(...times))}.`),
  ];
}

const views = [];

// Drawn when it opens: it needs a width.
function drawing(nodes, title, ...words) {
  const made = element("details", {class: "drawing"}, element("summary", {}, title), words);
  made.addEventListener("toggle", () => {
    if (made.open && !made.querySelector(".canvas")) {
      const view = new GraphView(nodes);
      views.push(view);
      made.append(view.root);
      view.fit();
    }
  });
  return made;
}

function graphOf(callable, work, title) {
  const graph = work.graph === undefined ? null : callable.graphs[work.graph];
  if (graph === null) return [];
  if (graph.left_out) return [element("p", {class: "faint"}, `${title}: ${plural(graph.left_out, "operator")}, which are in report.json alone.`)];
  if (graph.nodes.length === 0) return [];
  return [drawing(graph.nodes, `${title}: ${plural(graph.nodes.length, "operator")}, captured in ${time(work.capture_microseconds)}`), holderOfKernels(graph)];
}

const kinds = {graph: "in the graph's memory", copied: "copied into a static input", static: "used in place", same: "the same as another", absent: "not passed"};

function flagsOf(tensor) {
  return [kinds[tensor.kind] || tensor.kind, tensor.written_back && "written back", tensor.saved_for_backward && "saved for the backward"].filter(Boolean).join(", ");
}

function captureOf(callable, capture, slot) {
  const sum = tensors => tensors.reduce((bytes, tensor) => bytes + tensor.bytes, 0);
  const tensors = [...capture.inputs.map(each => ["in", each]), ...capture.results.map(each => ["out", each])];
  const pool = capture.pool.name ? `the pool ${capture.pool.name}` : "its pool";
  const backwards = (capture.backwards || []).filter(each => each.refusal);
  return element("div", {},
    element("h3", {}, `Slot ${slot + 1} on ${capture.device}`),
    element("p", {}, `Holds ${bytes(capture.bytes_held)}: arguments ${bytes(sum(capture.inputs))}, results ${bytes(sum(capture.results))}` +
      `${capture.bytes_saved === undefined ? "" : `, saved for the backward ${bytes(capture.bytes_saved)}`}, and temporaries; ${pool} has ` +
      `${bytes(capture.pool.bytes)}${capture.bytes_of_workspaces ? `; workspaces, which other graphs share, have ${bytes(capture.bytes_of_workspaces)}` : ""}. It closes over ${plural(capture.closed_over.tensors, "tensor")} of ${bytes(capture.closed_over.bytes)}, ` +
      `of which it writes ${number(capture.closed_over.written)}.`),
    table(["", "tensor", "type", ">bytes", "how"], tensors.map(([way, each]) => [way, code(each.name), code(each.type), bytes(each.bytes), flagsOf(each)])),
    graphOf(callable, capture, "Forward graph"),
    (capture.backwards || []).flatMap(each => graphOf(callable, each, `Backward graph for ${each.gradients}, ${plural(each.replays, "replay")}`)),
    backwards.map(each => element("p", {}, `Eager autograd goes back for ${each.gradients}: ${each.refusal}`)));
}

function timesOf(key) {
  const {warmup, replay} = key.times;
  if (!replay) return null;
  const warmups = warmup ? `, the fastest warm-up, which is recorded, ${time(warmup.least_microseconds)}` : "";
  return element("p", {}, `The fastest replay took ${time(replay.least_microseconds)}${warmups}.`);
}

function keyOf(callable, key, isOpen) {
  const held = key.captures.reduce((bytes, capture) => bytes + capture.bytes_held, 0);
  return element("details", isOpen ? {open: ""} : {},
    element("summary", {}, element("b", {}, `Key ${key.number}`), ` ${key.state}, ${plural(key.replays, "replay")}, holds ${bytes(held)} `, code(key.words)),
    key.refusal ? element("p", {}, key.refusal) : null,
    timesOf(key),
    key.misses.map(miss => element("p", {}, "Miss ", code(miss.reason), `: ${plural(miss.calls, "call")}${miss.why ? `; ${miss.why}` : ""}`)),
    key.captures.map((capture, slot) => captureOf(callable, capture, slot)));
}

function annotationOf(callable) {
  const samples = callable.samples.map(sample => `(${[...sample.arguments, ...(sample.variables || [])].join(", ")})`);
  const lines = callable.annotations || samples.slice(0, 8);
  if (!callable.annotations && samples.length > 8) lines.push(`and ${samples.length - 8} more`);
  const options = Object.entries(callable.options).map(([name, value]) => `${name} = ${value}`).join(", ");
  return [...lines.map(line => element("p", {}, code(line))), element("p", {class: "faint"}, options)];
}

// What came of its calls.
function runOf(callable) {
  const {statistics} = callable;
  if (!statistics) return [];
  const captures = `${number(statistics.captures + statistics.backward_captures)}`;
  return [
    element("p", {}, verdictOf(callable)),
    element("div", {class: "cards"}, card(number(statistics.calls), "calls"), card(number(statistics.replays), "replays"),
      card(number(statistics.backward_replays), "backward replays"), card(captures, "captures"), card(time(statistics.capture_microseconds), "to capture"),
      card(bytes(statistics.bytes_held), "held"), card(bytes(statistics.bytes_staged), "copied in"), card(number(statistics.kept_outputs), "outputs moved")),
    ...callsBar(statistics),
    ...missesOf(callable),
    ...timeLine(callable.first_calls),
    callable.keys.length !== 0 ? element("h3", {}, plural(callable.keys.length, "key")) : null,
    ...callable.keys.map((key, i) => keyOf(callable, key, i === 0)),
  ];
}

function sectionOf(callable, index) {
  const place = callable.file ? `${callable.file}:${callable.line}` : "";
  return element("section", {id: `callable-${index}`},
    element("h2", {}, callable.name),
    element("p", {class: "faint"}, [place, callable.has_ended ? "ended before the report was written" : "", callable.is_busy ? "its keys were in use" : ""].filter(Boolean).join("; ")),
    annotationOf(callable),
    runOf(callable),
    declaredOf(callable));
}

// Texts are written once; a node is a list. Before anything has run a node is an object.
function decoded(report) {
  if (report.before_running) {
    for (const graph of report.callables.flatMap(callable => callable.graphs)) {
      graph.nodes = graph.nodes.map(node => ({branch: 0, after: [], reads: [], kernels: [], module: "", ...node}));
    }
    return report;
  }
  const text = index => report.texts[index] || "";
  for (const graph of report.callables.flatMap(callable => callable.graphs || [])) {
    graph.nodes = graph.nodes.map(([operator, result, branch, after, reads, module, bytes_written, called, file, line, microseconds = -1, kernels = []]) =>
      ({operator: text(operator), result: text(result), branch, after, reads: reads.map(text), module: text(module), bytes_written,
        called: text(called), file: text(file), line, microseconds: microseconds < 0 ? undefined : microseconds, kernels: kernels.map(text)}));
  }
  return report;
}

function showBeforeRunning(report) {
  const rows = report.callables.map((callable, i) =>
    [element("a", {href: `#callable-${i}`}, callable.name), number(callable.samples.length), callable.options.slots, callable.options.outputs]);
  document.getElementById("page").append(
    element("h1", {}, "Graphed callables, before running"),
    element("p", {class: "faint"}, `By graphgen ${report.graphed} --explain. docs/reference/report.md says how to read this page.`),
    table(["callable", ">sizes", "slots", "outputs"], rows),
    ...findingsOf(report.findings),
    ...report.callables.map(sectionOf));
}

const hasKernels = report => report.callables.some(callable => (callable.graphs || []).some(graph => (graph.nodes || []).some(node => node.kernels.length !== 0)));

function show(report) {
  if (report.before_running) {
    showBeforeRunning(report);
    return;
  }
  const timesOfAll = report.callables.map(fastestReplay), areTimes = timesOfAll.some(times => times && !times.isHost);
  const rows = report.callables.map((callable, i) => {
    const {statistics} = callable;
    const times = timesOfAll[i];
    return [element("a", {href: `#callable-${i}`}, callable.name), number(statistics.calls), number(statistics.replays), number(missesIn(statistics)),
      ...(areTimes ? [times && !times.isHost ? time(times.least) : ""] : []),
      number(statistics.captures + statistics.backward_captures), bytes(statistics.bytes_held)];
  });
  document.getElementById("page").append(
    element("h1", {}, "Graphed callables"),
    element("p", {class: "faint"}, `${[report.program, `process ${report.process}`, (report.written_at || "").replace("T", " ").replace("Z", " UTC"), `graphed ${report.graphed}`].filter(Boolean).join(", ")}. docs/reference/report.md says how to read this page.` +
      (report.collected ? "" : " Operators and single calls were not collected.") +
      (report.callables_left_out ? ` ${plural(report.callables_left_out, "callable")} more had ended.` : "")),
    verdictOfAll(report),
    devicesOf(report),
    table(["callable", ">calls", ">replays", ">misses", ...(areTimes ? [">fastest replay"] : []), ">captures", ">held"], rows),
    wordsOfThisPage(),
    hasKernels(report) ? profileInput() : "",
    ...report.callables.map(sectionOf));
}

show(decoded(JSON.parse(document.getElementById("report").textContent)));
// Open the first graph, so that the page begins with a picture; #all opens each.
const firstDrawing = [...document.querySelectorAll("details.drawing")].find(each => !each.parentElement.closest("details:not([open])"));
if (firstDrawing) firstDrawing.open = true;
for (const details of [...document.querySelectorAll("details details, details")].reverse()) {
  if (location.hash === "#all") details.open = true;
}
