// SPDX-License-Identifier: Apache-2.0
//
// The picture of one graph: dagre gives each box and arrow its place, this draws them.

function element(name, attributes = {}, ...children) {
  const svg = ["svg", "g", "rect", "text", "path", "title", "defs", "marker"].includes(name);
  const made = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value);
  }
  made.append(...children.flat().filter(child => child !== null && child !== undefined));
  return made;
}

function bytes(number) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  while (number >= 1023.95 && unit < units.length - 1) {
    number /= 1024;
    ++unit;
  }
  return `${unit === 0 ? number : number.toFixed(1)} ${units[unit]}`;
}

const areTimed = nodes => nodes.some(node => node.microseconds !== undefined);
const timeOf = nodes => nodes.reduce((sum, node) => sum + (node.microseconds || 0), 0);

function time(microseconds) {
  if (microseconds >= 1e6) return `${(microseconds / 1e6).toFixed(1)} s`;
  if (microseconds >= 1e3) return `${(microseconds / 1e3).toFixed(1)} ms`;
  return `${microseconds.toFixed(1)} us`;
}

// The operators of the longest chain in which each uses the result of the one before: longest in time where that was measured, else in
// number. By each of them, the one before it, or -1.
function longestChain(nodes) {
  const isTimed = areTimed(nodes), end = [], before = [];
  let last = -1;
  nodes.forEach((node, i) => {
    const own = isTimed ? node.microseconds || 0 : 1;
    before[i] = node.after.reduce((best, j) => (best < 0 || end[j] > end[best] ? j : best), -1);
    end[i] = own + (before[i] < 0 ? 0 : end[before[i]]);
    if (last < 0 || end[i] > end[last]) last = i;
  });
  const chain = new Map();
  for (let i = last; i >= 0; i = before[i]) chain.set(i, before[i]);
  return chain;
}

function chainInWords(nodes, chain) {
  if (!areTimed(nodes)) return `longest chain, ${chain.size} of ${nodes.length} operators`;
  return `critical path, ${time(timeOf(nodes.filter((_, i) => chain.has(i))))} of ${time(timeOf(nodes))}`;
}

const mostKernels = 3;

// Without its namespaces and arguments.
function shortKernel(name) {
  const plain = name.replace(/<.*$/, "").replace(/^.*::/, "");
  return plain.length > 36 ? plain.slice(0, 34) + "…" : plain;
}

class GraphView {
  constructor(nodes) {
    this.nodes = nodes;
    this.by = usualGrouping(nodes);
    this.open = [];
    this.scale = 1;
    this.chain = longestChain(nodes);
    this.showsChain = false;
    this.tools = element("div", {class: "tools"});
    this.canvas = element("div", {class: "canvas"});
    this.about = element("div", {class: "about faint"}, "Choose a box to read what it does. A box with a dashed line is a group: it opens.");
    this.root = element("div", {}, this.tools, this.canvas, this.about);
    this.openSome();
    this.draw();
  }

  timesHaveCome() {
    this.chain = longestChain(this.nodes);
    this.draw();
  }

  // A picture of three boxes says little.
  openSome() {
    this.open = [];
    for (let more = true; more;) {
      const boxes = this.visible(grouped(this.nodes, this.by));
      const groups = boxes.filter(box => box.children && boxes.length + box.children.length <= mostBoxes / 2);
      more = boxes.length < 8 && groups.length > 0;
      if (more) this.open.push(groups.reduce((most, box) => (box.last - box.first > most.last - most.first ? box : most)));
    }
  }

  isOpen(item) { return this.open.some(each => each.first === item.first && each.last === item.last && each.label === item.label); }

  visible(items) { return items.flatMap(item => item.children && this.isOpen(item) ? this.visible(item.children) : [item]); }

  draw() {
    let boxes = this.visible(grouped(this.nodes, this.by));
    while (boxes.length > 2 * mostBoxes && this.open.length > 1) {
      this.open.shift();
      boxes = this.visible(grouped(this.nodes, this.by));
    }
    boxes = boxes.map(box => this.withDetails(box));
    this.boxes = boxes.length;
    this.drawTools();
    this.canvas.replaceChildren(this.picture(boxes));
  }

  // What is drawn under the name: the result or the number of operators, the time, and the kernels of an operator.
  withDetails(box) {
    const nodes = this.nodes.slice(box.first, box.last + 1);
    const small = [box.small, areTimed(nodes) ? time(timeOf(nodes)) : ""].filter(Boolean).join(", ");
    const kernels = box.children ? [] : nodes[0].kernels;
    const more = kernels.length > mostKernels ? [`and ${kernels.length - mostKernels} more`] : [];
    const withTime = (name, i) => [shortKernel(name), nodes[0].kernelTimes && nodes[0].kernelTimes[i] !== undefined ? time(nodes[0].kernelTimes[i]) : ""].filter(Boolean).join(", ");
    return {...box, small, kernels: [...kernels.slice(0, mostKernels).map(withTime), ...more], opens: box};
  }

  drawTools() {
    const branches = [...new Set(this.nodes.map(node => node.branch))].sort((a, b) => a - b);
    const choices = [["none", "each operator"], ["module", "modules"], ["repetition", "repetitions"], ["branch", "branches"]].filter(([value]) =>
      value === "module" ? this.nodes.some(node => node.module) : value !== "branch" || branches.length > 1);
    const select = element("select", {onchange: event => { this.by = event.target.value; this.openSome(); this.draw(); }},
      choices.map(([value, text]) => element("option", value === this.by ? {value, selected: ""} : {value}, text)));
    const zoom = factor => () => { this.scale *= factor; this.resize(); };
    const chain = element("input", {type: "checkbox", onchange: () => { this.showsChain = !this.showsChain; this.draw(); }});
    chain.checked = this.showsChain;
    this.tools.replaceChildren(
      element("label", {}, "groups: ", select),
      element("button", {onclick: zoom(1.25)}, "larger"), element("button", {onclick: zoom(0.8)}, "smaller"),
      element("label", {}, chain, ` ${chainInWords(this.nodes, this.chain)}`),
      ...this.open.map(item => element("button", {onclick: () => { this.open = this.open.filter(each => each !== item); this.draw(); }},
        `close ${item.label}`)),
      branches.length > 1 ? element("span", {class: "legend"}, branches.map(branch =>
        element("span", {}, element("i", {style: `background: var(--b${branch % 5})`}), `branch ${branch}`))) : "");
  }

  layout(boxes) {
    const graph = new dagre.graphlib.Graph();
    graph.setGraph({rankdir: "TB", ranker: "tight-tree", nodesep: 16, ranksep: 26, marginx: 12, marginy: 12});
    const boxOf = [];
    boxes.forEach((box, i) => {
      const width = Math.max(72, 7 * box.label.length + 22, ...[box.small, ...box.kernels].map(text => 6 * text.length + 18));
      graph.setNode(i, {width, height: (box.small ? 38 : 26) + 13 * box.kernels.length});
      for (let node = box.first; node <= box.last; ++node) boxOf[node] = i;
    });
    this.nodes.forEach((node, i) => {
      for (const before of node.after) {
        if (boxOf[before] === boxOf[i]) continue;
        const known = graph.edge(boxOf[before], boxOf[i]);
        const chain = this.showsChain && this.chain.get(i) === before;
        graph.setEdge(boxOf[before], boxOf[i], {chain: chain || (known && known.chain)});
      }
    });
    dagre.layout(graph);
    return graph;
  }

  picture(boxes) {
    const graph = this.layout(boxes);
    const points = graph.edges().flatMap(edge => graph.edge(edge).points);  // which dagre's own size leaves out
    const end = (side, least) => points.reduce((most, point) => Math.max(most, point[side] + 8), least);
    const begin = points.reduce((least, point) => Math.min(least, point.x - 8), 0);
    this.size = {left: begin, width: end("x", graph.graph().width) - begin, height: end("y", graph.graph().height)};
    const line = points => points.map((point, i) => `${i === 0 ? "M" : "L"}${point.x.toFixed(1)},${point.y.toFixed(1)}`).join("");
    const edges = graph.edges().map(edge => {
      const {points, chain} = graph.edge(edge);
      return element("path", {class: chain ? "edge chain" : "edge", d: line(points), "marker-end": "url(#arrow)"});
    });
    this.svg = element("svg", {viewBox: `${this.size.left} 0 ${this.size.width} ${this.size.height}`, role: "img"},
      element("defs", {}, element("marker", {id: "arrow", viewBox: "0 0 8 8", refX: "7", refY: "4", markerWidth: "8", markerHeight: "8", markerUnits: "userSpaceOnUse", orient: "auto"},
        element("path", {d: "M0,0L8,4L0,8z", fill: "var(--faint)"}))),
      edges, boxes.map((box, i) => this.box(box, graph.node(i))));
    this.resize();
    return this.svg;
  }

  // Once it is in the page: a wide picture begins smaller.
  fit() {
    this.scale = Math.min(1, Math.max(0.5, (this.canvas.clientWidth - 18) / this.size.width));
    this.resize();
  }

  resize() {
    this.svg.setAttribute("width", Math.ceil(this.size.width * this.scale));
    this.svg.setAttribute("height", Math.ceil(this.size.height * this.scale));
  }

  branchesOf(box) { return new Set(this.nodes.slice(box.first, box.last + 1).map(node => node.branch)); }

  box(box, {x, y, width, height}) {
    const branches = this.branchesOf(box);
    const isOpaque = !box.children && this.nodes[box.first].elsewhere;
    const fill = branches.size === 1 && !isOpaque ? `var(--b${[...branches][0] % 5})` : "var(--group)";
    const isOnChain = this.showsChain && [...this.chain.keys()].some(i => i >= box.first && i <= box.last);
    const made = element("g", {class: `box${box.children ? " group" : ""}${isOnChain ? " chain" : ""}`, transform: `translate(${x - width / 2},${y - height / 2})`},
      element("rect", {width, height, rx: 5, style: `fill: ${fill}`}),
      element("text", {x: width / 2, y: box.small ? 16 : 17}, box.label),
      box.small ? element("text", {class: "small", x: width / 2, y: 30}, box.small) : null,
      box.kernels.map((name, i) => element("text", {class: "small kernel", x: width / 2, y: 44 + 13 * i}, name)));
    made.addEventListener("click", () => this.choose(box.opens, made));
    return made;
  }

  choose(box, drawn) {
    if (box.children) {
      this.open.push(box);
      this.draw();
      this.about.textContent = `${box.label}: operators ${box.first} to ${box.last}`;
      return;
    }
    this.svg.querySelectorAll(".chosen").forEach(each => each.classList.remove("chosen"));
    drawn.classList.add("chosen");
    const node = this.nodes[box.first];
    const isCaptured = node.bytes_written !== undefined;
    const parts = [["operator", `${box.first}: ${node.operator}`], ["in", node.called || ""], ["place", placeOf(node)],
      ["writes", isCaptured ? `${node.result || ""} ${bytes(node.bytes_written)}` : ""], ["branch", isCaptured ? node.branch : ""],
      ["after", node.after.join(", ")], ["reads", node.reads.join(", ")], ["module", node.module], ["time", node.microseconds === undefined ? "" : time(node.microseconds)],
      ["kernels", node.kernels.join(", ")]].filter(([, value]) => value !== "" && value !== undefined);
    this.about.replaceChildren(...parts.map(([name, value]) => element("span", {}, `${name} `, element("code", {}, String(value)), "   ")));
  }
}
