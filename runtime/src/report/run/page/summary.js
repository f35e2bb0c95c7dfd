// SPDX-License-Identifier: Apache-2.0
//
// What a reader asks first: is all well, what is to be done first, and what do the words mean.

const missesIn = statistics => Object.values(statistics.misses).reduce((sum, count) => sum + count, 0);

// The fastest replay, in microseconds: of the key with most replays that was timed; else the host's alone. A warm-up is recorded and so slower than an
// eager call: it is not what a replay is compared with.
function fastestReplay(callable) {
  const timed = callable.keys.filter(key => key.times.replay).sort((a, b) => b.replays - a.replays)[0];
  if (timed) return {least: timed.times.replay.least_microseconds, isHost: false};
  const least = Math.min(...callable.first_calls.filter(call => call.kind === "replay").map(call => call.host_microseconds));
  return Number.isFinite(least) ? {least, isHost: true} : null;
}

function speedOf(callable) {
  const times = fastestReplay(callable);
  if (!times) return "";
  return times.isHost ? ` The host spent ${time(times.least)} in the fastest replay.` : ` The fastest replay took ${time(times.least)}.`;
}

function verdictOf(callable) {
  const {statistics} = callable, {calls, replays, warmups} = statistics, misses = missesIn(statistics);
  if (calls === 0) return "It was not called.";
  const missed = misses === 0 ? "" : ` ${plural(misses, "call")} ran the original function instead: the table below has the reasons, and what to do.`;
  if (replays === 0) {
    const early = misses === 0 && warmups === calls ? ` The capture comes after ${plural(Number(callable.options.warmup), "warm-up")} of a key.` : "";
    return `No call was a replay of a graph.${missed}${early}`;
  }
  return `${number(replays)} of ${plural(calls, "call")} were replays of a graph.${missed}${speedOf(callable)}`;
}

// A share of the calls below which misses are not worth a look, and a number of captures that no program needs for a few shapes.
const rare = 0.01, manyCaptures = 16;

// What is wrong with a callable, each with the number of its calls that it costs and with what to do.
function problemsOf(callable) {
  const {statistics} = callable, {calls, captures} = statistics;
  const problems = callable.misses.filter(miss => miss.what_to_do && miss.calls > rare * calls).map(miss => ({
    calls: miss.calls,
    text: `${number(miss.calls)} of ${plural(calls, "call")} ran the original function, because of `, reason: miss.reason, todo: miss.what_to_do, page: miss.page,
  }));
  for (const key of callable.keys.filter(key => key.refusal)) {
    problems.push({calls: calls / callable.keys.length, text: `a key is not captured: ${key.refusal}`});
  }
  if (captures > manyCaptures && captures > rare * calls) {
    problems.push({calls: captures, text: `was captured ${number(captures)} times in ${plural(calls, "call")}: what its graphs were captured with is ` +
      "replaced again and again. Change tensors in place, by copy_(), and mark numbers as live"});
  }
  return problems.map(problem => ({...problem, callable}));
}

function verdictOfAll(report) {
  const called = report.callables.filter(callable => callable.statistics.calls > 0);
  const problems = called.flatMap(problemsOf).sort((a, b) => b.calls - a.calls), shown = problems.slice(0, 5);
  const sum = of => called.reduce((all, callable) => all + of(callable.statistics), 0);
  if (called.length === 0) return element("p", {id: "verdict"}, "No graphed callable was called.");
  if (problems.length === 0) {
    const replays = sum(({replays}) => replays), calls = sum(({calls}) => calls);
    return element("p", {id: "verdict"}, element("b", {}, replays === 0 ? "Too early to say" : "Healthy"),
      `: ${number(replays)} of ${plural(calls, "call")} were replays of a graph, and nothing needs your attention.`);
  }
  return element("div", {id: "verdict"}, element("p", {}, element("b", {}, "What to do first")),
    element("ol", {}, shown.map(({callable, text, reason, todo, page}) => element("li", {},
      element("a", {href: `#callable-${report.callables.indexOf(callable)}`}, callable.name), `: ${text}`, reason ? code(reason) : "", todo ? `: ${todo}. ` : ". ",
      page ? pageOf(page) : ""))),
    problems.length > shown.length ? element("p", {class: "faint"}, `And ${number(problems.length - shown.length)} more, below.`) : "");
}

const deviceOf = ({device, name, compute_capability}) => (compute_capability ? `${name} (${device}, compute capability ${compute_capability})` : `the ${name}`);

function devicesOf(report) {
  return report.devices.length === 0 ? element("p", {}, "No graph was captured.") : element("p", {}, `Graphs ran on ${report.devices.map(deviceOf).join(", and on ")}.`);
}

const words = {
  "warm-up": "a call that runs the original function, ahead of the first capture of its key. It is recorded, and so takes longer than an eager call: to see what graphs gain, time the program itself, with GRAPHED_DISABLE=1 and without",
  "capture": "a call whose operators are recorded as a graph; the graph itself",
  "replay": "a call that launches the graph instead of the function",
  "miss": "a call that runs the original function, because it does not match, or because the capture failed",
  "key": "what calls that share captures have in common: sizes, device, grad mode, train or eval, and others",
  "slot": "one capture of a key. The next slot is used while a call still waits for its backward",
  "held": "the memory of captures: static inputs, results, tensors saved for the backward, temporaries",
  "static input": "memory of the graph that an argument is copied into before each replay; copied in: the bytes of all such copies",
  "outputs moved": "results that the program still used at the next replay: they were copied to new memory first",
  "closed over": "tensors that the function uses and that are not arguments, as parameters",
  "pool": "the memory that one capture, or several, allocate from; workspace: scratch memory of cuBLAS",
  "branch": "operators that run beside those of other branches on a GPU",
  "longest chain": "operators that each need the one before; of those that were timed, the one that takes longest is the critical path",
};

function wordsOfThisPage() {
  return element("details", {class: "words"}, element("summary", {}, "The words of this page"),
    element("dl", {}, Object.entries(words).flatMap(([word, meaning]) => [element("dt", {}, word), element("dd", {}, meaning)])));
}
