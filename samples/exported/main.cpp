// SPDX-License-Identifier: Apache-2.0
//
// Serves a classifier that Python has exported: the scaling of the pixels before the model, and the decision after it, are C++, and all of
// it is one graph. Takes the folder that export.py has written. Compares every bit with calls that are not graphed, and takes the times.
#include <torch/torch.h>

#include <graphed/annotate.h>

#include <torch/csrc/inductor/aoti_package/model_package_loader.h>
#include <torch/script.h>

#include "../data/digits.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iomanip>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace exported {

using torch::Tensor;

struct Answer {
  Tensor digit;        ///< i64[1]
  Tensor probability;  ///< f32[1]
};

Tensor pixels_of(const Tensor& image) { return image.to(torch::kFloat).div(16).view({1, 1, 8, 8}); }

Answer decide(const Tensor& scores) {
  const auto [probability, digit] = scores.softmax(-1).max(-1);
  return {digit, probability};
}

/// By AOTInductor's package.
class CompiledServer {
 public:
  /// `run_single_threaded`, as a graph needs it: the other way waits for events that a capture cannot wait for.
  explicit CompiledServer(const std::string& folder)
      : model(std::make_shared<torch::inductor::AOTIModelPackageLoader>(folder + "/digits.pt2", "model", /*run_single_threaded=*/true)) {}

  GRAPHED(image: u8[64])
  Answer classify(const Tensor& image) { return decide(model->run({pixels_of(image)})[0]); }

 private:
  std::shared_ptr<torch::inductor::AOTIModelPackageLoader> model;  // shared: another one that replaces it is noticed
};

/// By TorchScript.
class ScriptServer {
 public:
  ScriptServer(const std::string& folder, torch::Device device) : model(torch::jit::load(folder + "/digits.pt", device)) {}

  GRAPHED(image: u8[64])
  Answer classify(const Tensor& image) { return decide(model.forward({pixels_of(image)}).toTensor()); }

 private:
  torch::jit::Module model;
};

}  // namespace exported

#include "main.graphed.h"  // written by graphgen, from this file

namespace {

using exported::Answer;
using torch::Tensor;

struct Images {
  std::vector<Tensor> pixels;  ///< u8[64] each
  Tensor digits;               ///< i64[n]
};

Images held_out(torch::Device device) {
  const digits::Part part = digits::read(device).held_out;
  Images images{{}, part.labels};
  for (const Tensor& each : part.images.mul(16).to(torch::kByte).flatten(1).unbind()) {
    images.pixels.push_back(each.clone());
  }
  return images;
}

void synchronize(torch::Device device) {
  if (device.is_cuda()) {
    torch::cuda::synchronize();
  }
}

/// Microseconds from an image to its answer: the least of several rounds.
template <class Classify>
double time_of(Classify&& classify, const Images& images, torch::Device device) {
  double least = 0;
  for (int round = 0; round < 5; ++round) {
    synchronize(device);
    const auto start = std::chrono::steady_clock::now();
    for (const Tensor& image : images.pixels) {
      classify(image);
      synchronize(device);
    }
    const std::chrono::duration<double, std::micro> elapsed = std::chrono::steady_clock::now() - start;
    const double each = elapsed.count() / static_cast<double>(images.pixels.size());
    least = round == 0 ? each : std::min(least, each);
  }
  return least;
}

bool report(bool good, const std::string& what) {
  std::cout << (good ? "  yes  " : "  NO   ") << what << '\n';
  return good;
}

template <auto Classify, class Server>
bool serve(const std::string& name, Server& server, const Images& images, torch::Device device, bool is_captured) {
  graphed::callable<Classify> classify(server);
  const auto original = [&](const Tensor& image) { return server.classify(image); };
  bool equal = true;
  std::vector<Tensor> answers;
  for (const Tensor& image : images.pixels) {
    const Answer plain = original(image), fast = classify(image);
    equal &= torch::equal(plain.digit, fast.digit) && torch::equal(plain.probability, fast.probability);
    answers.push_back(fast.digit.clone());
  }
  const double accuracy = torch::cat(answers).eq(images.digits).to(torch::kDouble).mean().item<double>();
  const double alone = time_of(original, images, device), graphed = time_of(classify, images, device);

  std::cout << name << std::fixed << std::setprecision(1) << "\n  alone   " << std::setw(7) << alone << " us an image\n  graphed "
            << std::setw(7) << graphed << " us, " << std::setprecision(2) << alone / graphed << " times as fast\n";
  bool good = report(equal, "every answer equals that of the same model alone");
  good &= report(accuracy >= 0.95, "at least 95 % of the held-out digits are right");
  if (is_captured) {
    return report(classify.stats().replays + classify.stats().warmups == classify.stats().calls, "every call but warm-ups was a replay") &&
           good;
  }
  std::cout << classify.explain();
  return report(classify.stats().replays == 0, "no call was captured, and each ran the original function") && good;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: exported FOLDER\n";
    return 2;
  }
  const torch::NoGradGuard no_grad;
  const torch::Device device = torch::cuda::is_available() ? torch::kCUDA : torch::kCPU;
  try {
    const std::string folder = argv[1];
    const Images images = held_out(device);
    exported::ScriptServer script(folder, device);
    bool good = serve<&exported::ScriptServer::classify>("TorchScript", script, images, device, /*is_captured=*/true);
    exported::CompiledServer compiled(folder);
    good &= serve<&exported::CompiledServer::classify>("AOTInductor", compiled, images, device, /*is_captured=*/device.is_cuda());
    return good ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "exported: " << error.what() << '\n';
  }
  return 1;
}
