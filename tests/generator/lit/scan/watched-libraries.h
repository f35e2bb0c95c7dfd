// SPDX-License-Identifier: Apache-2.0
//
// Objects of libraries' classes that calls do not compare: values are reported, and handles, locks, streams and the like are not.
// REQUIRES: torch
// RUN: graphgen --print %s %libtorch_flags 2>&1 >%t | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:
// RUN: FileCheck %s --check-prefix=CODE < %t
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>

#include <atomic>
#include <condition_variable>
#include <fstream>
#include <functional>
#include <locale>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <sstream>
#include <thread>
#include <vector>

namespace app {

torch::Tensor use(...);

struct Values {
  GRAPHED(x: f32[2])
  torch::Tensor run(const torch::Tensor& x) { return use(&options, &groups, &text, &place, &places, &shared, &accessor, &fixed); }
  // CHECK: :[[#@LINE+1]]:28: warning: calls of 'run' do not notice a change of 'options': its options are not compared
  torch::optim::SGDOptions options{1e-3};
  // CHECK: :[[#@LINE+1]]:42: warning: calls of 'run' do not notice a change of 'groups': its options are not compared
  std::vector<torch::optim::AdamOptions> groups;
  // CHECK: :[[#@LINE+1]]:21: warning: calls of 'run' do not notice a change of 'text': no call can compare what it holds
  std::stringstream text;
  // CHECK: :[[#@LINE+1]]:15: warning: calls of 'run' do not notice a change of 'place': no call can compare objects of its class
  std::locale place;
  // CHECK: :[[#@LINE+1]]:24: warning: calls of 'run' do not notice a change of 'shared': what it holds is not compared
  std::atomic<double*> shared;
  // CHECK: :[[#@LINE+1]]:30: warning: calls of 'run' do not notice a change of 'places': no call can compare objects of its class
  std::map<int, std::locale> places;
  // CHECK: :[[#@LINE+1]]:35: warning: calls of 'run' do not notice a change of 'accessor': no call can compare objects of its class
  torch::TensorAccessor<float, 1> accessor;
  const std::locale fixed;
  std::locale unread;
};

struct Counted final : c10::intrusive_ptr_target {
  double gain = 1;
};

struct Handles {
  GRAPHED(x: f32[2])
  torch::Tensor run(const torch::Tensor& x) {
    return use(&lock, &ready, &worker, &workers, &once, &flag, &log, &lines, &adam, &optimizer, &optimizers, &draw, &engine, &generator,
               &storage, &stream, &data, &less, &raw, &old_lock, counted->gain);
  }
  std::mutex lock;
  std::condition_variable ready;
  std::thread worker;
  std::vector<std::thread> workers;
  std::once_flag once;
  std::atomic_flag flag;
  std::ofstream log;
  std::ostringstream lines;
  torch::optim::Adam adam{std::vector<torch::Tensor>()};
  std::unique_ptr<torch::optim::Optimizer> optimizer;
  std::vector<std::shared_ptr<torch::optim::Optimizer>> optimizers;
  std::normal_distribution<double> draw;
  std::mt19937 engine;
  torch::Generator generator;
  c10::Storage storage;
  c10::Stream stream;
  torch::data::samplers::RandomSampler data{3};
  std::less<int> less;
  FILE* raw;
  pthread_mutex_t old_lock;
  c10::intrusive_ptr<Counted> counted;
};
// CODE: constexpr const char* watched_names[] = {"once", "flag", "stream", "counted.gain"};

}  // namespace app
