// SPDX-License-Identifier: Apache-2.0
//
// Rendering and detection: tables of constants that each call makes on the host and takes to the device.
#include "program.h"

#include <graphed/annotate.h>

#include <torch/csrc/autograd/autograd.h>

#include <cstdint>

namespace vision {

using at::Tensor;

constexpr int64_t kRays = 6, kSamples = 5, kLevels = 3, kImages = 2, kCells = 4, kAnchors = 3, kClasses = 2;

/// A radiance field (https://arxiv.org/abs/2003.08934), with frequencies of positions, rendered along rays.
struct FieldImpl : torch::nn::Module {
  FieldImpl() { register_module("net", net); }

  static Tensor encode(const Tensor& x) {
    const Tensor frequencies = torch::pow(2.0, torch::arange(kLevels)).to(x.device());
    const Tensor angles = (x.unsqueeze(-1) * frequencies).flatten(-2);
    return torch::cat({x, angles.sin(), angles.cos()}, -1);
  }

  GRAPHED(origins: f32[kRays, 3], directions: f32[kRays, 3] grad)
  Tensor render(const Tensor& origins, const Tensor& directions) {
    const Tensor depths = torch::linspace(0.5, 2.0, kSamples).to(origins.device());
    const Tensor points = origins.unsqueeze(1) + directions.unsqueeze(1) * depths.view({1, -1, 1});
    const Tensor out = net->forward(encode(points));
    const Tensor background = torch::tensor({0.1, 0.2, 0.3}, torch::kFloat).to(origins.device());
    const Tensor free = torch::exp(-torch::relu(out.select(-1, 3)));
    const Tensor weights = (1 - free) * torch::exp(torch::cumsum(torch::log(free + 1e-6), 1));
    return (weights.unsqueeze(-1) * torch::sigmoid(out.slice(-1, 0, 3))).sum(1) + (1 - weights.sum(1, true)) * background;
  }

  torch::nn::Sequential net{torch::nn::Linear(3 * (1 + 2 * kLevels), 16), torch::nn::ReLU(), torch::nn::Linear(16, 4)};
};
TORCH_MODULE(Field);

/// Boxes of one scale of a detector, from offsets to anchors at the cells of a grid.
GRAPHED(raw: f32[B, kAnchors, kCells, kCells, 5 + kClasses], stride: key; B in {1, kImages})
Tensor decode(const Tensor& raw, int64_t stride) {
  const Tensor cells = torch::arange(kCells, torch::kFloat);
  const auto grids = torch::meshgrid({cells, cells}, "ij");
  const Tensor grid = torch::stack({grids[1], grids[0]}, -1).to(raw.device());
  const Tensor anchors = torch::tensor({10., 13., 16., 30., 33., 23.}, raw.options()).view({1, kAnchors, 1, 1, 2});
  const Tensor out = torch::sigmoid(raw);
  const Tensor centers = (out.slice(-1, 0, 2) * 2 - 0.5 + grid) * stride;
  const Tensor sizes = (out.slice(-1, 2, 4) * 2).pow(2) * anchors;
  return torch::cat({centers - sizes / 2, centers + sizes / 2, out.slice(-1, 4)}, -1).flatten(1, 3);
}

/// A pyramid's level, with sizes that a configuration gives. Each size and place has a graph.
GRAPHED(image: f32[1, 3, 8, 8], sizes: key, on: key)
Tensor resize(const Tensor& image, const std::vector<int64_t>& sizes, torch::Device on) {
  const Tensor mean = torch::tensor({0.4, 0.5, 0.6}, torch::kFloat).to(on).view({1, 3, 1, 1});
  return torch::upsample_bilinear2d(image - mean, sizes, /*align_corners=*/false);
}

/// An image that is moved towards features of a network, as in style transfer. A step whose backward gives an argument its `.grad` is an
/// error of graphgen's, and refused at run time too; the gradient can be a result.
struct StyleImpl : torch::nn::Module {
  StyleImpl() { register_module("features", features); }

  Tensor loss(const Tensor& image) { return (features(image) - 0.5).square().mean(); }

  GRAPHED(image: f32[1, 3, 8, 8]; step)
  void give_gradient(const Tensor& image) { loss(image).backward(); }

  GRAPHED(image: f32[1, 3, 8, 8])
  Tensor descend(const Tensor& image) {
    const Tensor leaf = image.detach().requires_grad_();
    return image - 0.1 * torch::autograd::grad({loss(leaf)}, {leaf})[0];
  }

  torch::nn::Conv2d features{torch::nn::Conv2dOptions(3, 4, 3)};
};
TORCH_MODULE(Style);

/// Light along rays. The backward of cumprod() asks the host whether a value is zero.
struct RaysImpl : torch::nn::Module {
  RaysImpl() { register_module("density", density); }

  GRAPHED(points: f32[4, 8, 3]; step)
  Tensor learn(const Tensor& points) {
    zero_grad();
    const Tensor passed = torch::cumprod(torch::exp(-density(points).relu()), 1);
    const Tensor loss = passed.square().mean();
    loss.backward();
    return loss.detach();
  }

  torch::nn::Linear density{3, 1};
};
TORCH_MODULE(Rays);

}  // namespace vision

#include "vision_test.graphed.h"

namespace vision {

using programs::program;
using programs::scenario;

GRAPHED_DEVICE_TEST_SUITE(Vision);

TEST_P(Vision, RadianceFieldWithFrequencies) {
  expect_same([](scenario& run) {
    Field field;
    field->to(run.device());
    program<&FieldImpl::render> render(run, *field);
    for (int call = 0; call < 8; ++call) {
      const Tensor directions = run.leaf({kRays, 3});
      const Tensor colors = render(run.random({kRays, 3}), directions);
      run.see("colors", colors);
      colors.square().sum().backward();
      run.see_grad("gradient", directions);
      for (const Tensor& parameter : field->parameters()) {
        run.see_grad("gradient of a parameter", parameter);
      }
    }
    render.expect(3, 5);
  });
}

TEST_P(Vision, BoxesFromAnchors) {
  expect_same([](scenario& run) {
    program<&decode> boxes(run);
    for (int call = 0; call < 5; ++call) {
      for (const int64_t stride : {8, 16}) {
        run.see("boxes", boxes(run.random({kImages, kAnchors, kCells, kCells, 5 + kClasses}), stride));
      }
    }
    boxes.expect(3 * 2, 2 * 2, 2);
  });
}

TEST_P(Vision, PyramidOfSizes) {
  expect_same([](scenario& run) {
    program<&resize> level(run);
    for (int call = 0; call < 5; ++call) {
      const Tensor image = run.random({1, 3, 8, 8});
      for (const std::vector<int64_t>& sizes : {std::vector<int64_t>{16, 16}, std::vector<int64_t>{4, 6}}) {
        run.see("level", level(image, sizes, run.device()));
      }
    }
    level.expect(3 * 2, 2 * 2, 2);
  });
}

TEST_P(Vision, AnImageMovesByItsGradient) {
  expect_same([](scenario& run) {
    Style style;
    style->to(run.device());
    program<&StyleImpl::give_gradient> give_gradient(run, *style);
    program<&StyleImpl::descend> descend(run, *style);
    Tensor image = run.random({1, 3, 8, 8});
    for (int step = 0; step < 8; ++step) {
      const Tensor leaf = image.clone().requires_grad_();
      give_gradient(leaf);
      run.see("gradient", leaf.grad());
      image = descend(image);
      run.see("image", image);
    }
    descend.expect(3, 5);
    give_gradient.expect(3, 5);
  });
}

// The message names the part of the backward that the program does not spell.
TEST_P(Vision, ABackwardThatReadsOnTheHostIsNamed) {
  expect_same([](scenario& run) {
    Rays rays;
    rays->to(run.device());
    program<&RaysImpl::learn> learn(run, *rays);
    for (int step = 0; step < 5; ++step) {
      run.see("loss", learn(run.random({4, 8, 3})));
    }
    if (run.graphed()) {
      EXPECT_EQ(learn.stats().replays, 0U) << learn.explain();
      EXPECT_NE(learn.explain().find(", in the backward CumprodBackward0"), std::string::npos) << learn.explain();
    }
  });
}

}  // namespace vision
