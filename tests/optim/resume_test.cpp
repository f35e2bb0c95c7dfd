// SPDX-License-Identifier: Apache-2.0
//
// A graphed run that stops and goes on, in another process or by eager steps, has the numbers of one that does not.
#include "support/device_test.h"
#include "support/trainer.h"

#include <torch/serialize/archive.h>

#include <cstdlib>
#include <filesystem>
#include <limits>
#include <memory>
#include <random>

#include <unistd.h>

namespace resume_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Resume);

const std::vector<std::string> cases = {
    "sgd SGD lr=0.1 momentum=0.9 weight_decay=0.01",
    "dampened SGD lr=0.1 momentum=0.9 dampening=0.5 scaler=1",
    "adam Adam lr=0.01 amsgrad=1 scaler=1 unscale=1 clip=0.5",
    "adamw AdamW lr=0.01 scaler=1",
    "bf16 AdamW dtype=bf16 lr=0.01 clip=0.5",
    "live AdamW lr=0.01 live=1",
    "adagrad Adagrad lr=0.05 lr_decay=0.01 clip_value=0.5",
    "rmsprop RMSprop lr=0.01 momentum=0.5 centered=1 scaler=1",
};
constexpr int64_t step_count = 30, stop = 13;
constexpr const char* folder_variable = "GRAPHED_OPTIM_RESUME";

struct temporary_folder {
  temporary_folder() { std::filesystem::create_directories(path); }
  ~temporary_folder() { std::filesystem::remove_all(path); }
  const std::filesystem::path path = std::filesystem::temp_directory_path() / ("graphed-resume-" + std::to_string(getpid()));
};

std::string file(const std::filesystem::path& folder, std::size_t index, const char* what) {
  return (folder / (std::to_string(index) + what)).string();
}

/// Those that a scaler has to skip are among them.
Tensor make_gradients(const optimizer_case& which) {
  at::manual_seed(1);
  Tensor made = at::randn({step_count, elements});
  if (which.has("scaler")) {
    made[5][3].fill_(std::numeric_limits<float>::infinity());
    made[stop + 4][3].fill_(std::numeric_limits<float>::quiet_NaN());
  }
  return made;
}

template <class T>
void write(torch::serialize::OutputArchive& archive, const char* key, const T& value) {
  torch::serialize::OutputArchive inner(archive.compilation_unit());
  value.save(inner);
  archive.write(key, inner);
}

template <class T>
void read(torch::serialize::InputArchive& archive, const char* key, T& value) {
  torch::serialize::InputArchive inner;
  archive.read(key, inner);
  value.load(inner);
}

void save(trainer& trained, const optimizer_case& which, const std::string& to) {
  torch::serialize::OutputArchive archive;
  archive.write("parameters", trained.parameters());
  write(archive, "optimizer", trained.optimizer());
  if (which.has("scaler")) {
    write(archive, "scaler", trained.scaler());
  }
  archive.save_to(to);
}

std::unique_ptr<trainer> load(const optimizer_case& which, const std::string& from, c10::Device device) {
  torch::serialize::InputArchive archive;
  archive.load_from(from);
  Tensor parameters;
  archive.read("parameters", parameters);
  auto trained = std::make_unique<trainer>(which, parameters, device);
  read(archive, "optimizer", trained->optimizer());
  if (which.has("scaler")) {
    read(archive, "scaler", trained->scaler());
  }
  return trained;
}

/// The parameters after each step from `first` on; calls `between` ahead of each.
template <class Between>
Tensor go_on(trainer& trained, const optimizer_case& which, c10::Device device, int64_t first, Between&& between) {
  const scenario run(device, /*graphed=*/true);
  subject step(run, {{"gradients", {elements}}}, [&](tensor_list& in) { return tensor_list{trained.step(in[0])}; });
  const Tensor gradients = make_gradients(which).to(device);
  std::vector<Tensor> seen;
  for (int64_t i = first; i < step_count; ++i) {
    between(i);
    trained.set_rates(rate_of(which.get("lr", 0), i));
    step({gradients[i].clone()});
    seen.push_back(trained.parameters());
  }
  step.expect_captures(1);
  step.expect_replays(static_cast<uint64_t>(step_count - first - 2));
  return at::stack(seen);
}

// The part of the next test that runs in a process of its own.
TEST_P(Resume, DISABLED_TheRest) {
  const char* folder = std::getenv(folder_variable);
  ASSERT_NE(folder, nullptr);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const optimizer_case which = parse_case(cases[i]);
    const auto trained = load(which, file(folder, i, ".saved"), device());
    torch::serialize::OutputArchive archive;
    archive.write("seen", go_on(*trained, which, device(), stop, [](int64_t) {}));
    archive.save_to(file(folder, i, ".seen"));
  }
}

TEST_P(Resume, AnotherProcessGoesOnAsIfNothingHadBeen) {
  const temporary_folder folder;
  std::vector<Tensor> whole;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const optimizer_case which = parse_case(cases[i]);
    at::manual_seed(2);
    trainer trained(which, at::randn({elements}), device());
    whole.push_back(go_on(trained, which, device(), 0, [&](int64_t step) {
      if (step == stop) {
        save(trained, which, file(folder.path, i, ".saved"));
      }
    }));
  }
  const std::string log = "'" + (folder.path / "log").string() + "'";
  const std::string command = std::string(folder_variable) + "='" + folder.path.string() + "' '" +
                              std::filesystem::read_symlink("/proc/self/exe").string() +
                              "' --gtest_also_run_disabled_tests --gtest_filter=Resume.DISABLED_TheRest/" + GetParam() + " > " + log +
                              " 2>&1 || { cat " + log + "; false; }";
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    torch::serialize::InputArchive archive;
    archive.load_from(file(folder.path, i, ".seen"));
    Tensor seen;
    archive.read("seen", seen);
    EXPECT_TRUE(same_bits(seen, whole[i].slice(0, stop))) << cases[i];
  }
}

TEST_P(Resume, GraphedAndPlainStepsTakeTurns) {
  for (const auto& line : cases) {
    for (unsigned seed = 1; seed <= 4; ++seed) {
      SCOPED_TRACE(line + ", turns of seed " + std::to_string(seed));
      expect_same([&](scenario& run) {
        const optimizer_case which = parse_case(line);
        trainer trained(which, at::randn({elements}), run.device());
        subject step(run, {{"gradients", {elements}}}, [&](tensor_list& in) { return tensor_list{trained.step(in[0])}; });
        const Tensor gradients = make_gradients(which).to(run.device());
        std::mt19937 turns(seed);
        uint64_t graphed = 0;
        for (int64_t i = 0; i < step_count; ++i) {
          trained.set_rates(rate_of(which.get("lr", 0), i));
          const Tensor now = gradients[i].clone();
          if (turns() % 2 == 0) {
            trained.step(now);
          } else {
            step({now});
            ++graphed;
          }
          run.see("parameters", trained.parameters());
        }
        step.expect_captures(1);
        step.expect_replays(graphed - 2);
      });
    }
  }
}

}  // namespace resume_test
