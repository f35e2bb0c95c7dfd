// SPDX-License-Identifier: Apache-2.0
//
// Operators in groups, so that a picture of thousands has some dozens of boxes. A group is a part of the program without a gap: so the
// arrows between groups never go round. An item is an operator, or a group with `children`.
"use strict";

const mostBoxes = 48;

function shortName(operator) {
  const name = operator.replace(/^(aten|torch::nn)::/, "");
  return name.length > 30 ? name.slice(0, 28) + "…" : name;
}

// "loss.cpp:9", or, of an operator that only the source tells of, "line 9, perhaps".
function placeOf(node) {
  const file = node.file ? `${node.file.replace(/^.*\//, "")}:${node.line}` : node.line && `line ${node.line}`;
  return [file, node.elsewhere && "no body here", node.repeated && "in a loop", node.perhaps && "perhaps"].filter(Boolean).join(", ");
}

function leaf(node, index) {
  return {first: index, last: index, label: shortName(node.operator), small: node.result || placeOf(node), children: null};
}

function group(children, label) {
  const first = children[0].first, last = children[children.length - 1].last;
  return {first, last, label, small: `${last - first + 1} operators`, children};
}

// Calls `name` of each item, and puts those that follow one another with the same name into a group. Items without a name stay alone.
function runs(items, name, label, inside = children => children) {
  const made = [];
  for (let begin = 0; begin < items.length;) {
    const of = name(items[begin]);
    let end = begin + 1;
    while (end < items.length && of !== null && name(items[end]) === of) ++end;
    const part = items.slice(begin, end);
    made.push(...(of !== null && part.length > 1 ? [group(inside(part), label(of))] : part));
    begin = end;
  }
  return made;
}

// An operator without a parameter belongs to the module before it.
function modulesOf(nodes) {
  let last = "";
  return nodes.map(node => (last = node.module || last));
}

function byModule(items, modules, depth = 0) {
  const name = item => {
    const parts = modules[item.first] === "" ? [] : modules[item.first].split(".");
    return parts.length > depth ? parts.slice(0, depth + 1).join(".") : null;
  };
  const made = runs(items, name, of => of, part => byModule(part, modules, depth + 1));
  return made.length === 1 && made[0].children && depth > 0 ? made[0].children : made;
}

const byBranch = (items, nodes) => runs(items, item => nodes[item.first].branch, of => `branch ${of}`);

// Sequences that come again and again, as the layers of a network or the parameters of an optimizer's step do.
function byRepetition(items) {
  const same = (a, b, count) => {
    for (let i = 0; i < count; ++i) {
      if (items[a + i].label !== items[b + i].label) return false;
    }
    return true;
  };
  const made = [];
  for (let begin = 0; begin < items.length;) {
    let length = 1, times = 1;
    for (let period = 1; period <= 64 && begin + 2 * period <= items.length; ++period) {
      let count = 1;
      while (begin + (count + 1) * period <= items.length && same(begin, begin + count * period, period)) ++count;
      if (count > 1 && count * period > length * times) [length, times] = [period, count];
    }
    if (times * length < 4 || times < 2) {
      made.push(items[begin++]);
      continue;
    }
    const repeated = [];
    for (let i = 0; i < times; ++i) {
      const part = items.slice(begin + i * length, begin + (i + 1) * length);
      repeated.push(length === 1 ? part[0] : group(part, `${part[0].label} … ${part[length - 1].label}`));
    }
    made.push(group(repeated, `${times} × ${length === 1 ? repeated[0].label : `(${repeated[0].label})`}`));
    begin += times * length;
  }
  return made;
}

// At most so many at a level.
function limited(items) {
  const inside = items.map(item => item.children ? {...item, children: limited(item.children)} : item);
  if (inside.length <= mostBoxes) return inside;
  const size = Math.ceil(inside.length / Math.min(24, Math.ceil(Math.sqrt(inside.length))));
  const made = [];
  for (let i = 0; i < inside.length; i += size) {
    const part = inside.slice(i, i + size);
    made.push(part.length === 1 ? part[0] : group(part, `${part[0].label} … ${part[part.length - 1].label}`));
  }
  return limited(made);
}

function usualGrouping(nodes) {
  if (nodes.length <= mostBoxes) return "none";
  return new Set(nodes.map(node => node.module).filter(Boolean)).size > 1 ? "module" : "repetition";
}

function grouped(nodes, by) {
  const items = nodes.map(leaf);
  if (by === "module") return limited(byModule(items, modulesOf(nodes)));
  if (by === "branch") return limited(byBranch(items, nodes));
  return limited(by === "repetition" ? byRepetition(items) : items);
}
