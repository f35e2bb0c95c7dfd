// SPDX-License-Identifier: Apache-2.0
//
// What a reader asks first: does it replay, is it faster, and what do the words mean.

const missesIn = statistics => Object.values(statistics.misses).reduce((sum, count) => sum + count, 0);

// The fastest eager call and the fastest replay, in microseconds: of the key with most replays that has both; else the host's alone.
function fastest(callable) {
  const timed = callable.keys.filter(key => key.times.warmup && key.times.replay).sort((a, b) => b.replays - a.replays)[0];
  if (timed) return {eager: timed.times.warmup.least_microseconds, replay: timed.times.replay.least_microseconds, isHost: false};
  const least = kind => Math.min(...callable.first_calls.filter(call => call.kind === kind).map(call => call.host_microseconds));
  const [eager, replay] = [least("warm-up"), least("replay")];
  return Number.isFinite(eager) && Number.isFinite(replay) && replay > 0 ? {eager, replay, isHost: true} : null;
}

const factor = times => `${(times.eager / times.replay).toFixed(times.eager < 10 * times.replay ? 1 : 0)}x`;

function speedOf(callable) {
  const times = fastest(callable);
  if (!times) return "";
  if (times.isHost) {
    return ` The host spent ${time(times.eager)} in the fastest warm-up and ${time(times.replay)} in the fastest replay. On a GPU the work may take longer.`;
  }
  const more = times.eager < times.replay ? " A graph that is slower is explained in docs/promises/slower-graphs.md." : "";
  return ` The fastest warm-up, which is eager, took ${time(times.eager)}, the fastest replay ${time(times.replay)}: ${factor(times)}.${more}`;
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

const deviceOf = ({device, name, compute_capability}) => (compute_capability ? `${name} (${device}, compute capability ${compute_capability})` : `the ${name}`);

function devicesOf(report) {
  return report.devices.length === 0 ? element("p", {}, "No graph was captured.") : element("p", {}, `Graphs ran on ${report.devices.map(deviceOf).join(", and on ")}.`);
}

const words = {
  "warm-up": "a call that runs the original function, ahead of the first capture of its key",
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
