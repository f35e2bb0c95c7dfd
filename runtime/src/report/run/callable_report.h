// SPDX-License-Identifier: Apache-2.0
//
// What the report says of one callable: values alone, which outlive it. call/report.cpp fills them in, the files of this folder write them.
#pragma once

#include "report/run/collecting.h"

#include <graphed/stats.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace graphed::impl {

/// An operator's node, with the names of what it reads.
struct reported_node {
  graph_node node;
  std::vector<std::string> reads;                     ///< arguments, and parameters of modules; none is an operator's result
  std::string module;                                 ///< whose parameter it reads; empty where none, or unknown
  std::optional<double> microseconds = std::nullopt;  ///< the least of its first replays, where that was measured
  source_line place = {};                             ///< in the user's code; without a function if it is unknown
};

struct reported_work {
  double begin, microseconds;
  uint64_t thread;
  uint64_t bytes_added;
  std::vector<reported_node> nodes;
};

/// An argument of a capture, or a result.
struct reported_tensor {
  std::string name;
  std::string type;  ///< "f32[64, 784]"
  std::string kind;  ///< of an argument: "copied", "static", "same" as another, "absent"; of a result: where its memory is
  uint64_t bytes = 0;
  bool written_back = false;  ///< an argument
  bool saved = false;         ///< the backward needs it
};

struct reported_backward {
  std::string gradients;  ///< that come in, in words
  uint64_t replays = 0;
  std::string refusal;  ///< why eager autograd computes them; else empty
  std::optional<reported_work> work;
};

struct reported_device {
  std::string device;              ///< "cuda:0"
  std::string name;                ///< "NVIDIA H100 80GB HBM3", "CPU"
  std::string compute_capability;  ///< "9.0"; empty of a CPU
};

/// One slot.
struct reported_capture {
  reported_device on;
  uint64_t bytes_held = 0, bytes_pinned = 0;
  uint64_t pool_bytes = 0;
  uint64_t workspace_bytes = 0;         ///< which the graphs of its order share
  std::optional<uint64_t> saved_bytes;  ///< what autograd, or the program, keeps of what the operators made; results besides
  std::string pool;                     ///< its name; empty: a pool of its own
  uint64_t closed_over = 0, closed_over_bytes = 0, closed_over_written = 0;  ///< tensors from outside
  std::vector<reported_tensor> inputs, results;
  std::optional<reported_work> work;
  std::vector<reported_backward> backwards;
  bool backwards_are_known = true;  ///< false: one is under way on another thread
};

struct reported_miss {
  Miss reason;
  uint64_t calls;
  std::string why;  ///< of the last one, or empty
};

struct reported_time {
  int calls = 0;
  double least = 0;  ///< microseconds
};

struct reported_key {
  uint64_t number;
  std::string words, state, refusal;
  uint64_t replays;
  reported_time warmup, replay;
  std::vector<reported_miss> misses;
  std::vector<reported_capture> captures;
};

struct reported_sample {
  std::vector<std::string> arguments;  ///< "obs: f32[64, 128]", as annotated
  std::vector<std::string> variables;  ///< "B = 8, padded", "B in any 4"
};

struct reported_callable {
  std::string name, file;
  int line;
  std::vector<std::string> annotations;  ///< as the source spells them
  std::vector<std::string> parameters;   ///< the names of the first sample's tensors
  std::vector<reported_sample> samples;
  std::map<std::string, std::string> options;
  bool has_ended = false;
  bool is_busy = false;  ///< its keys are left out: a call had them for too long
  Statistics stats;
  std::vector<reported_key> keys;
  uint64_t forgotten_keys = 0;
  std::vector<reported_miss> misses_without_key;
  std::map<std::string, std::string> last_mismatches;  ///< "x: shape" -> "expected [4, 8], got [3, 8]"
  std::vector<noted_call> first_calls;
};

/// The whole report.
struct reported_process {
  int64_t number;
  std::string program;     ///< the file's name; empty where the system does not say it
  std::string written_at;  ///< "2026-11-26T21:38:41Z"
  bool collected = false;  ///< operators and first calls too, since some time
  uint64_t left_out = 0;   ///< callables that have ended, too many to keep
  std::vector<reported_callable> callables;
};

/// The files' texts.
std::string json_of(const reported_process& process);
std::string trace_of(const reported_process& process);
std::string page_of(const reported_process& process);

/// What the page embeds: as json_of, but texts of graphs are numbers of `texts`, and a node is a list. At most so many bytes of graphs are
/// in it: the others say how many nodes they have.
std::string json_for_page(const reported_process& process, std::size_t bytes_of_graphs);

}  // namespace graphed::impl
