// SPDX-License-Identifier: Apache-2.0
//
// What sees: classifiers, detectors and their post-processing, segmentation, as public programs have them.
// tests/generator/programs/README.md shows of each what graphgen says, and why.
#include <graphed/annotate.h>

#include <torch/torch.h>

#include <cstdint>
#include <iostream>
#include <tuple>
#include <utility>
#include <vector>

namespace vision {

namespace F = torch::nn::functional;
using torch::indexing::Slice;

constexpr int64_t kBatch = 8, kSide = 32, kGrid = 13, kAnchors = 3, kClasses = 20, kBoxes = 300;

class LeNetImpl : public torch::nn::Module {
 public:
  LeNetImpl() {
    register_module("conv1", conv1_);
    register_module("conv2", conv2_);
    register_module("conv2_drop", conv2_drop_);
    register_module("fc1", fc1_);
    register_module("fc2", fc2_);
  }

  GRAPHED(x: f32[64, 1, 28, 28])
  torch::Tensor forward(torch::Tensor x) {
    x = torch::relu(torch::max_pool2d(conv1_->forward(x), 2));
    x = torch::relu(torch::max_pool2d(conv2_drop_->forward(conv2_->forward(x)), 2));
    x = x.view({-1, 320});
    x = torch::relu(fc1_->forward(x));
    x = torch::dropout(x, /*p=*/0.5, /*train=*/is_training());
    return torch::log_softmax(fc2_->forward(x), /*dim=*/1);
  }

 private:
  torch::nn::Conv2d conv1_{torch::nn::Conv2dOptions(1, 10, 5)}, conv2_{torch::nn::Conv2dOptions(10, 20, 5)};
  torch::nn::Dropout2d conv2_drop_;
  torch::nn::Linear fc1_{320, 50}, fc2_{50, 10};
};
TORCH_MODULE(LeNet);

class BasicBlockImpl : public torch::nn::Module {
 public:
  BasicBlockImpl(int64_t in, int64_t out, int64_t stride) {
    conv1_ = register_module("conv1", torch::nn::Conv2d(torch::nn::Conv2dOptions(in, out, 3).stride(stride).padding(1).bias(false)));
    conv2_ = register_module("conv2", torch::nn::Conv2d(torch::nn::Conv2dOptions(out, out, 3).padding(1).bias(false)));
    norm1_ = register_module("norm1", torch::nn::BatchNorm2d(out));
    norm2_ = register_module("norm2", torch::nn::BatchNorm2d(out));
    if (stride != 1 || in != out) {
      downsample_ = register_module(
          "downsample",
          torch::nn::Sequential(torch::nn::Conv2d(torch::nn::Conv2dOptions(in, out, 1).stride(stride)), torch::nn::BatchNorm2d(out)));
    }
  }

  torch::Tensor forward(const torch::Tensor& x) {
    torch::Tensor identity = x;
    torch::Tensor out = conv1_->forward(x);
    out = norm1_->forward(out).relu_();
    out = norm2_->forward(conv2_->forward(out));
    if (!downsample_.is_empty()) {
      identity = downsample_->forward(x);
    }
    out += identity;
    return out.relu_();
  }

 private:
  torch::nn::Conv2d conv1_{nullptr}, conv2_{nullptr};
  torch::nn::BatchNorm2d norm1_{nullptr}, norm2_{nullptr};
  torch::nn::Sequential downsample_{nullptr};
};
TORCH_MODULE(BasicBlock);

class ResNetImpl : public torch::nn::Module {
 public:
  explicit ResNetImpl(bool log_shapes = false) : log_shapes_(log_shapes) {
    stem_ = register_module("stem", torch::nn::Conv2d(torch::nn::Conv2dOptions(3, 16, 3).padding(1)));
    layers_ = register_module("layers", torch::nn::Sequential(BasicBlock(16, 16, 1), BasicBlock(16, 32, 2), BasicBlock(32, 64, 2)));
    fc_ = register_module("fc", torch::nn::Linear(64, kClasses));
  }

  GRAPHED(x: f32[B, 3, kSide, kSide]; B in {1, kBatch})
  torch::Tensor forward(torch::Tensor x) {
    x = stem_->forward(x);
    x = layers_->forward(x);
    if (log_shapes_) {
      std::cout << "features " << x.sizes() << std::endl;
    }
    x = torch::adaptive_avg_pool2d(x, {1, 1});
    return fc_->forward(torch::flatten(x, 1));
  }

 private:
  bool log_shapes_;
  torch::nn::Conv2d stem_{nullptr};
  torch::nn::Sequential layers_{nullptr};
  torch::nn::Linear fc_{nullptr};
};
TORCH_MODULE(ResNet);

GRAPHED(image: u8[kBatch, kSide, kSide, 3])
torch::Tensor preprocess(const torch::Tensor& image) {
  torch::Tensor x = image.permute({0, 3, 1, 2}).to(torch::kFloat32).div(255);
  const torch::Tensor mean = torch::tensor({0.485F, 0.456F, 0.406F}, x.options()).view({1, 3, 1, 1});
  const torch::Tensor deviation = torch::tensor({0.229F, 0.224F, 0.225F}, x.options()).view({1, 3, 1, 1});
  return (x - mean) / deviation;
}

class PreprocessorImpl : public torch::nn::Module {
 public:
  PreprocessorImpl() {
    mean_ = register_buffer("mean", torch::tensor({0.485F, 0.456F, 0.406F}).view({1, 3, 1, 1}));
    deviation_ = register_buffer("deviation", torch::tensor({0.229F, 0.224F, 0.225F}).view({1, 3, 1, 1}));
  }

  GRAPHED(image: u8[kBatch, kSide, kSide, 3])
  torch::Tensor forward(const torch::Tensor& image) {
    const torch::Tensor x = image.permute({0, 3, 1, 2}).to(torch::kFloat32).div(255);
    const auto size = std::vector<int64_t>{2 * kSide, 2 * kSide};
    return F::interpolate((x - mean_) / deviation_, F::InterpolateFuncOptions().size(size).mode(torch::kBilinear).align_corners(false));
  }

 private:
  torch::Tensor mean_, deviation_;
};
TORCH_MODULE(Preprocessor);

GRAPHED(prediction: f32[kBatch, kAnchors, 5 + kClasses, kGrid, kGrid], anchors: f32[kAnchors, 2])
torch::Tensor anchor_transform(torch::Tensor prediction, const torch::Tensor& anchors) {
  const torch::Tensor grid = torch::arange(kGrid, prediction.options());
  prediction.select(2, 4).sigmoid_();
  prediction.select(2, 0).sigmoid_().add_(grid.view({1, 1, 1, -1})).mul_(32);
  prediction.select(2, 1).sigmoid_().add_(grid.view({1, 1, -1, 1})).mul_(32);
  prediction.select(2, 2).exp_().mul_(anchors.select(1, 0).view({1, -1, 1, 1}));
  prediction.select(2, 3).exp_().mul_(anchors.select(1, 1).view({1, -1, 1, 1}));
  return prediction.transpose(2, -1).contiguous().view({prediction.size(0), -1, prediction.size(2)});
}

torch::Tensor corners(const torch::Tensor& boxes) {
  torch::Tensor result = torch::empty_like(boxes);
  result.index_put_({"...", 0}, boxes.index({"...", 0}) - boxes.index({"...", 2}) / 2);
  result.index_put_({"...", 1}, boxes.index({"...", 1}) - boxes.index({"...", 3}) / 2);
  result.index_put_({"...", 2}, boxes.index({"...", 0}) + boxes.index({"...", 2}) / 2);
  result.index_put_({"...", 3}, boxes.index({"...", 1}) + boxes.index({"...", 3}) / 2);
  return result;
}

class YoloHeadImpl : public torch::nn::Module {
 public:
  YoloHeadImpl() {
    conv_ = register_module("conv", torch::nn::Conv2d(torch::nn::Conv2dOptions(64, kAnchors * (5 + kClasses), 1)));
    anchors_ = register_buffer("anchors", torch::rand({1, kAnchors, 1, 1, 2}));
    const std::vector<torch::Tensor> axes = torch::meshgrid({torch::arange(kGrid), torch::arange(kGrid)}, "ij");
    grid_ = register_buffer("grid", torch::stack({axes[1], axes[0]}, -1).to(torch::kFloat));
  }

  GRAPHED(features: f32[kBatch, 64, kGrid, kGrid])
  torch::Tensor forward(const torch::Tensor& features) {
    torch::Tensor x = conv_->forward(features).view({kBatch, kAnchors, 5 + kClasses, kGrid, kGrid}).permute({0, 1, 3, 4, 2}).contiguous();
    x.index_put_({"...", Slice(0, 2)}, (torch::sigmoid(x.index({"...", Slice(0, 2)})) + grid_) * 32);
    x.index_put_({"...", Slice(2, 4)}, torch::exp(x.index({"...", Slice(2, 4)})) * anchors_);
    x.slice(-1, 4).sigmoid_();
    x = x.view({kBatch, -1, 5 + kClasses});
    return torch::cat({corners(x.slice(-1, 0, 4)), x.slice(-1, 4)}, -1);
  }

 private:
  torch::nn::Conv2d conv_{nullptr};
  torch::Tensor anchors_, grid_;
};
TORCH_MODULE(YoloHead);

GRAPHED(prediction: f32[kBoxes, 5 + kClasses], threshold: const)
std::vector<torch::Tensor> confident(const torch::Tensor& prediction, double threshold) {
  const auto [score, label] = prediction.slice(1, 5).max(1);
  const torch::Tensor confidence = score * prediction.select(1, 4);
  const torch::Tensor index = (confidence > threshold).nonzero().squeeze(1);
  return {prediction.index_select(0, index), label.index_select(0, index), confidence.index({index})};
}

torch::Tensor overlap(const torch::Tensor& box, const torch::Tensor& others) {
  const torch::Tensor low = torch::max(box.slice(-1, 0, 2), others.slice(-1, 0, 2));
  const torch::Tensor high = torch::min(box.slice(-1, 2, 4), others.slice(-1, 2, 4));
  const torch::Tensor both = (high - low).clamp_min(0).prod(-1);
  const auto area = [](const torch::Tensor& boxes) { return (boxes.slice(-1, 2, 4) - boxes.slice(-1, 0, 2)).prod(-1); };
  return both / (area(box) + area(others) - both);
}

GRAPHED(boxes: f32[kBoxes, 4], scores: f32[kBoxes], threshold: const)
torch::Tensor suppress(const torch::Tensor& boxes, const torch::Tensor& scores, double threshold) {
  torch::Tensor order = scores.argsort(0, /*descending=*/true);
  std::vector<int64_t> kept;
  while (order.numel() > 0) {
    const auto best = order[0].item<int64_t>();
    kept.push_back(best);
    order = order.slice(0, 1);
    const torch::Tensor overlaps = overlap(boxes[best], boxes.index_select(0, order));
    order = order.index_select(0, torch::nonzero(overlaps <= threshold).squeeze(1));
  }
  return torch::tensor(kept, scores.options().dtype(torch::kLong));
}

GRAPHED(boxes: f32[kBoxes, 4], scores: f32[kBoxes], threshold: const)
std::tuple<torch::Tensor, torch::Tensor> suppress_in_place(const torch::Tensor& boxes, const torch::Tensor& scores, double threshold) {
  const auto [sorted, order] = scores.sort(0, /*descending=*/true);
  const torch::Tensor candidates = boxes.index_select(0, order);
  const torch::Tensor overlaps = overlap(candidates.unsqueeze(1), candidates.unsqueeze(0)).triu(1);
  torch::Tensor alive = torch::ones_like(sorted);
  for (int64_t i = 0; i < kBoxes; ++i) {
    alive = alive * (1 - alive[i] * (overlaps[i] > threshold).to(alive.dtype()));
  }
  const auto [best, index] = (sorted * alive).topk(100);
  return {candidates.index_select(0, index), best};
}

class CumulativeNormImpl : public torch::nn::Module {
 public:
  CumulativeNormImpl() {
    register_module("conv", conv_);
    register_module("norm", norm_);
  }

  GRAPHED(x: f32[kBatch, 3, kSide, kSide])
  torch::Tensor forward(const torch::Tensor& x) { return torch::relu(norm_->forward(conv_->forward(x))); }

 private:
  torch::nn::Conv2d conv_{torch::nn::Conv2dOptions(3, 8, 3)};
  torch::nn::BatchNorm2d norm_{torch::nn::BatchNorm2dOptions(8).momentum(std::nullopt)};
};
TORCH_MODULE(CumulativeNorm);

class UNetImpl : public torch::nn::Module {
 public:
  UNetImpl() {
    for (int64_t level = 0; level < 3; ++level) {
      down_->push_back(torch::nn::Conv2d(torch::nn::Conv2dOptions(level == 0 ? 3 : 16, 16, 3).padding(1)));
      up_->push_back(torch::nn::Conv2d(torch::nn::Conv2dOptions(32, 16, 3).padding(1)));
    }
    register_module("down", down_);
    register_module("up", up_);
    register_module("head", head_);
  }

  GRAPHED(x: f32[kBatch, 3, kSide, kSide])
  torch::Tensor forward(torch::Tensor x) {
    std::vector<torch::Tensor> skips;
    for (const auto& module : *down_) {
      x = torch::relu(module->as<torch::nn::Conv2d>()->forward(x));
      skips.push_back(x);
      x = torch::max_pool2d(x, 2);
    }
    x = F::interpolate(x, F::InterpolateFuncOptions().scale_factor(std::vector<double>{2, 2}).mode(torch::kNearest));
    for (const auto& module : *up_) {
      const torch::Tensor skip = skips.back();
      skips.pop_back();
      if (x.size(2) != skip.size(2)) {
        x = F::interpolate(x, F::InterpolateFuncOptions().size(std::vector<int64_t>{skip.size(2), skip.size(3)}).mode(torch::kNearest));
      }
      x = torch::relu(module->as<torch::nn::Conv2d>()->forward(torch::cat({x, skip}, 1)));
    }
    return head_->forward(x);
  }

 private:
  torch::nn::ModuleList down_, up_;
  torch::nn::Conv2d head_{torch::nn::Conv2dOptions(16, 2, 1)};
};
TORCH_MODULE(UNet);

GRAPHED(images: f32[kBatch, 3, kSide, kSide])
torch::Tensor augment(torch::Tensor images) {
  if (torch::rand({1}).item<float>() < 0.5F) {
    images = images.flip(3);
  }
  const torch::Tensor shift = torch::randint(-4, 5, {2}, torch::kLong);
  const auto* by = shift.data_ptr<int64_t>();
  return torch::roll(images, {by[0], by[1]}, {2, 3});
}

GRAPHED(images: f32[kBatch, 3, kSide, kSide])
torch::Tensor augment_each(const torch::Tensor& images) {
  const torch::Tensor flipped = torch::rand({images.size(0), 1, 1, 1}, images.options()) < 0.5;
  const torch::Tensor noisy = torch::where(flipped, images.flip(3), images) + 0.01 * torch::randn_like(images);
  return noisy.clamp_(0, 1);
}

GRAPHED(logits: f32[kBatch, kClasses, kSide, kSide] grad, labels: i64[kBatch, kSide, kSide])
torch::Tensor valid_pixel_loss(const torch::Tensor& logits, const torch::Tensor& labels) {
  const torch::Tensor valid = labels != 255;
  const torch::Tensor flat = logits.permute({0, 2, 3, 1});
  return F::cross_entropy(flat.index({valid}), labels.index({valid}));
}

GRAPHED(logits: f32[kBatch, kClasses, kSide, kSide] grad, labels: i64[kBatch, kSide, kSide])
torch::Tensor dice_and_entropy(const torch::Tensor& logits, const torch::Tensor& labels) {
  const torch::Tensor valid = (labels != 255).unsqueeze(1);
  const torch::Tensor known = labels.masked_fill(labels == 255, 0);
  const torch::Tensor wanted = torch::one_hot(known, kClasses).permute({0, 3, 1, 2}).to(logits.dtype()) * valid;
  const torch::Tensor chosen = torch::softmax(logits, 1) * valid;
  const torch::Tensor dice = (2 * (chosen * wanted).sum({0, 2, 3}) + 1) / ((chosen + wanted).sum({0, 2, 3}) + 1);
  return 1 - dice.mean() + F::cross_entropy(logits, labels, F::CrossEntropyFuncOptions().ignore_index(255));
}

}  // namespace vision
