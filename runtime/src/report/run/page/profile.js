// SPDX-License-Identifier: Apache-2.0
//
// A profile's kernels under the operators that have them: the file of PyTorch's profiler, or of `nsys stats --report cuda_gpu_trace
// --format json`. All kernels of a replay have the number of its launch.

const slowestShown = 20;

// As the report spells it: without result and parameters, 120 characters at most.
function kernelName(name) {
  if (/^(\[CUDA )?memset/i.test(name)) return "memset";
  if (/^(\[CUDA )?memcpy/i.test(name)) return "memcpy";
  let short = name.replace(/^void /, "");
  const parameters = short.lastIndexOf(">(");
  if (parameters >= 0) short = short.slice(0, parameters + 1);
  else if (!short.includes("<") && short.includes("(")) short = short.slice(0, short.indexOf("("));
  return short.length <= 120 ? short : `${short.slice(0, 120)}...`;
}

// The kernels of each launch of a graph, in the order in which they began.
function launchesIn(profile) {
  const launches = new Map();
  const add = (launch, name, start, microseconds) => {
    if (!launches.has(launch)) launches.set(launch, []);
    launches.get(launch).push({name: kernelName(name), start, microseconds});
  };
  if (Array.isArray(profile)) {
    for (const row of profile) add(row.CorrId, row.Name, row["Start (ns)"], row["Duration (ns)"] / 1000);
  } else {
    for (const {ph, cat, name, ts, dur, args} of profile.traceEvents) {
      if (ph === "X" && /^(kernel|gpu_mem(set|cpy))$/.test(cat)) add(args.correlation, name, ts, dur);
    }
  }
  const ofGraphs = [...launches.values()].filter(kernels => kernels.length > 1);  // eager mode launches each alone
  return ofGraphs.map(kernels => kernels.sort((a, b) => a.start - b.start));
}

const kernelsOf = graph => (graph.nodes || []).flatMap(node => node.kernels.map((name, index) => ({node, index, name})));
const mayBeAbsent = name => /^(memset|memcpy|kernel|host function)$/.test(name);  // the runtime puts kernels in their place

// Which kernel of the launch is which of the graph's, or null if the launch lacks one: equal names in their order.
function assigned(wanted, kernels) {
  const waiting = new Map();
  for (const kernel of kernels) {
    if (!waiting.has(kernel.name)) waiting.set(kernel.name, []);
    waiting.get(kernel.name).push(kernel);
  }
  const found = wanted.map(({name}) => (waiting.get(name) || []).shift());
  return found.some((kernel, i) => !kernel && !mayBeAbsent(wanted[i].name)) ? null : found;
}

// Of each graph that the profile has: {graph, wanted, launches, times, others}, sums in microseconds. A launch is one of the graph that has most of its kernels.
function joined(graphs, profile) {
  const sums = new Map();
  const known = graphs.map(graph => ({graph, wanted: kernelsOf(graph)})).filter(({wanted}) => wanted.some(({name}) => !mayBeAbsent(name)));
  known.sort((a, b) => b.wanted.length - a.wanted.length);
  for (const kernels of launchesIn(profile)) {
    const sum = list => list.reduce((all, kernel) => all + (kernel ? kernel.microseconds : 0), 0);
    for (const {graph, wanted} of known) {
      const found = assigned(wanted, kernels);
      if (!found) continue;
      const to = sums.get(graph) || {graph, wanted, launches: 0, times: wanted.map(() => []), others: 0};
      sums.set(graph, to);
      ++to.launches;
      found.forEach((kernel, i) => kernel && to.times[i].push(kernel.microseconds));
      to.others += sum(kernels) - sum(found);
      break;
    }
  }
  return [...sums.values()];
}

// What an earlier profile has put there.
function takeTimesAway(graph) {
  if (!graph.profile) return;
  delete graph.profile;
  for (const node of graph.nodes) {
    node.microseconds = node.reported;
    delete node.kernelTimes;
  }
}

// Puts the means at the nodes.
function setTimes({graph, wanted, launches, times, others}) {
  for (const node of graph.nodes) {
    node.reported = node.microseconds;
    node.microseconds = 0;
    node.kernelTimes = [];
  }
  wanted.forEach(({node, index}, i) => {
    if (times[i].length === 0) return;
    node.kernelTimes[index] = times[i].reduce((a, b) => a + b) / times[i].length;
    node.microseconds += node.kernelTimes[index];
  });
  graph.profile = {launches, others: others / launches};
}

function kernelTable(graph) {
  if (!graph.profile) return [];
  const rows = kernelsOf(graph).map(({node, index, name}) => ({node, name, microseconds: node.kernelTimes[index]})).filter(row => row.microseconds !== undefined);
  const all = rows.reduce((sum, row) => sum + row.microseconds, graph.profile.others);
  rows.sort((a, b) => b.microseconds - a.microseconds);
  const {launches, others} = graph.profile;
  return [
    element("h3", {}, "Its kernels in the profile"),
    element("p", {class: "faint"}, `Means of ${plural(launches, "launch")}: ${time(all)} of kernels in each, of which ${time(others)} are copies into static inputs, memsets and other work of the runtime.`),
    table([">time", ">share", "operator", "in", "place", ">branch", "kernel"], rows.slice(0, slowestShown).map(({node, name, microseconds}) =>
      [time(microseconds), `${(100 * microseconds / all).toFixed(1)} %`, code(node.operator), node.called, placeOf(node), number(node.branch), code(shortKernel(name))])),
    rows.length > slowestShown ? element("p", {class: "faint"}, `and ${number(rows.length - slowestShown)} shorter ones`) : null];
}

// The table of each graph is drawn anew as a profile comes.
const kernelTables = [];

function holderOfKernels(graph) {
  const holder = element("div", {class: "kernels"});
  kernelTables.push({holder, graph});
  return holder;
}

function loadProfile(text) {
  const graphs = [...new Set(kernelTables.map(each => each.graph))];
  const found = joined(graphs, JSON.parse(text));
  graphs.forEach(takeTimesAway);
  found.forEach(setTimes);
  for (const {holder, graph} of kernelTables) holder.replaceChildren(...kernelTable(graph).filter(Boolean));
  for (const view of views) view.timesHaveCome();
  return found.length === 0 ? "The profile has no launch with the kernels of a graph of this page." :
    `Found ${plural(found.reduce((sum, each) => sum + each.launches, 0), "launch")} of ${plural(found.length, "graph")}.`;
}

function profileInput() {
  const status = element("span", {class: "faint", id: "profile-status"});
  const input = element("input", {type: "file", accept: ".json", onchange: async event => {
    try {
      status.textContent = loadProfile(await event.target.files[0].text());
    } catch (error) {
      status.textContent = `This is not a profile: ${error.message}`;
    }
  }});
  return element("p", {}, element("label", {}, "Times of kernels, from a profile: ", input), " ", status);
}
