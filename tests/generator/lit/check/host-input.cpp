// SPDX-License-Identifier: Apache-2.0
//
// The environment and files, read.
// RUN: graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <check/sync.h>
#include <graphed/annotate.h>

#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>

// CHECK: sync.h:{{[0-9]+}}:41: warning: the environment is read when the graph is captured, not by replays [graphed-host-input]
// CHECK: note: called from 'in_a_header' here
GRAPHED(x: f32[2]) void in_a_header(const torch::Tensor& x) { in_header::path(); }

GRAPHED(x: f32[2]) void named(const torch::Tensor& x) {
  // CHECK: host-input.cpp:[[#@LINE+1]]:8: warning: the environment is read when the graph is captured, not by replays [graphed-host-input]
  std::getenv("SCALE");
  // CHECK: :[[#@LINE+1]]:17: warning: a file is read
  std::ifstream file("scale.txt");
  std::string line;
  // CHECK: :[[#@LINE+1]]:8: warning: a stream is read
  std::getline(file, line);
  float scale = 1;
  // CHECK: :[[#@LINE+1]]:8: warning: a stream is read
  file >> scale;
  // CHECK: :[[#@LINE+1]]:8: warning: a file is read
  std::fopen("scale.txt", "r");
}

// Read once, by a warm-up; text in memory.
GRAPHED(x: f32[2]) void safe(const torch::Tensor& x) {
  static const char* const scale = std::getenv("SCALE");
  std::stringstream text("1");
  std::string line;
}

#define SETTING(name) std::getenv(name)
GRAPHED(x: f32[2]) void in_a_macro(const torch::Tensor& x) {
  // CHECK: :[[#@LINE+2]]:3: warning: the environment is read
  // CHECK: :[[#@LINE-3]]:28: note: expanded from macro 'SETTING'
  SETTING("SCALE");
}

template <class Stream>
void opened() {
  // CHECK: :[[#@LINE+2]]:10: warning: a file is read
  // CHECK: note: called from 'in_a_template' here
  Stream file("scale.txt");
}
GRAPHED(x: f32[2]) void in_a_template(const torch::Tensor& x) { opened<std::ifstream>(); }

GRAPHED(x: f32[2]) void silenced(const torch::Tensor& x) {
  std::getenv("SCALE");  // graphgen: allow(graphed-host-input)
}
