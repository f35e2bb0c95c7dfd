// SPDX-License-Identifier: Apache-2.0
//
// What simulates: interatomic potentials, integrators, thermostats, rendering, filters, as public programs have them.
// tests/generator/programs/README.md shows of each what graphgen says, and why.
#include <graphed/annotate.h>
#include <graphed/optim.h>
#include <graphed/scalar.h>

#include <torch/torch.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

namespace simulations {

constexpr int64_t kAtoms = 64, kSpecies = 4, kWidth = 32, kRays = 128, kSamples = 64, kPoints = 256;
[[maybe_unused]] constexpr int64_t kEdges = 512;  // in annotations alone
constexpr double kCutoff = 5.0;

struct EnergyAndForces {
  torch::Tensor energy, forces;
};

GRAPHED(positions: f32[kAtoms, 3])
EnergyAndForces lennard_jones(const torch::Tensor& positions) {
  const torch::Tensor r = positions.detach().requires_grad_(true);
  const torch::Tensor squared = (r.unsqueeze(0) - r.unsqueeze(1)).square().sum(-1) + torch::eye(kAtoms, r.options()) * 1e6;
  const torch::Tensor inverse = squared.pow(-3);
  const torch::Tensor energy = 2 * (inverse * inverse - inverse).sum();
  const torch::Tensor gradient = torch::autograd::grad({energy}, {r})[0];
  return {energy.detach(), -gradient};
}

/// Of atoms, in edges: messages of neighbours, gathered, weighted by distance, and summed.
class PotentialImpl : public torch::nn::Module {
 public:
  PotentialImpl() {
    register_module("species", species_);
    register_module("filter", filter_);
    register_module("update", update_);
    register_module("energy", energy_);
  }

  GRAPHED(positions: f32[kAtoms, 3] grad, species: i64[kAtoms], edges: i64[2, kEdges])
  torch::Tensor forward(const torch::Tensor& positions, const torch::Tensor& species, const torch::Tensor& edges) {
    const torch::Tensor from = edges[0], to = edges[1];
    const torch::Tensor distance = (positions.index_select(0, from) - positions.index_select(0, to)).norm(2, -1, true);
    const torch::Tensor envelope = 0.5 * (torch::cos(distance * M_PI / kCutoff) + 1) * (distance < kCutoff);
    torch::Tensor atoms = species_->forward(species);
    for (int layer = 0; layer < 2; ++layer) {
      const torch::Tensor messages = atoms.index_select(0, from) * torch::silu(filter_->forward(distance)) * envelope;
      atoms = atoms + update_->forward(torch::zeros_like(atoms).index_add_(0, to, messages));
    }
    return energy_->forward(atoms).sum();
  }

 private:
  torch::nn::Embedding species_{kSpecies, kWidth};
  torch::nn::Linear filter_{1, kWidth}, update_{kWidth, kWidth}, energy_{kWidth, 1};
};
TORCH_MODULE(Potential);

class PairStyle {
 public:
  GRAPHED(positions: f32[kAtoms, 3], species: i64[kAtoms])
  EnergyAndForces compute(torch::Tensor positions, const torch::Tensor& species) {
    const auto x = positions.accessor<float, 2>();
    std::vector<int64_t> from, to;
    for (int64_t i = 0; i < kAtoms; ++i) {
      for (int64_t j = 0; j < kAtoms; ++j) {
        const float dx = x[i][0] - x[j][0], dy = x[i][1] - x[j][1], dz = x[i][2] - x[j][2];
        if (i != j && dx * dx + dy * dy + dz * dz < kCutoff * kCutoff) {
          from.push_back(i);
          to.push_back(j);
        }
      }
    }
    const torch::Tensor edges = torch::stack({torch::tensor(from), torch::tensor(to)}).to(positions.device());
    positions.requires_grad_(true);
    const torch::Tensor energy = model_->forward(positions, species, edges);
    energy.backward();
    return {energy.detach(), -positions.grad()};
  }

 private:
  Potential model_;
};

GRAPHED(positions: f32[kAtoms, 3])
torch::Tensor neighbours(const torch::Tensor& positions) {
  const torch::Tensor distance = torch::cdist(positions, positions);
  const torch::Tensor near = distance.lt(kCutoff).logical_and(~torch::eye(kAtoms, distance.options().dtype(torch::kBool)));
  return near.nonzero().t().contiguous();
}

class ForceMatching {
 public:
  GRAPHED(positions: f32[kAtoms, 3], species: i64[kAtoms], edges: i64[2, kEdges], energy: f32[], forces: f32[kAtoms, 3]; step)
  torch::Tensor learn(const torch::Tensor& positions, const torch::Tensor& species, const torch::Tensor& edges, const torch::Tensor& energy,
                      const torch::Tensor& forces) {
    const torch::Tensor r = positions.detach().requires_grad_();
    const torch::Tensor predicted = model_->forward(r, species, edges);
    const torch::Tensor gradient = torch::autograd::grad({predicted}, {r}, {}, /*retain_graph=*/true, /*create_graph=*/true)[0];
    const torch::Tensor loss = torch::mse_loss(predicted, energy) + 10 * torch::mse_loss(-gradient, forces);
    optimizer_.zero_grad();
    loss.backward();
    optimizer_.step();
    return loss.detach();
  }

 private:
  Potential model_;
  graphed::optim::Adam optimizer_{model_->parameters(), graphed::optim::AdamOptions(1e-3)};
};

GRAPHED(positions: f32[kAtoms, 3] inplace, velocities: f32[kAtoms, 3] inplace, forces: f32[kAtoms, 3] inplace, dt: live)
void verlet(torch::Tensor& positions, torch::Tensor& velocities, torch::Tensor& forces, const graphed::Scalar& dt) {
  velocities.add_(0.5 * forces * dt.like(forces));
  positions.add_(velocities * dt.like(velocities));
  positions.sub_(10.0 * torch::floor(positions / 10.0));
  forces.copy_(lennard_jones(positions).forces);
  velocities.add_(0.5 * forces * dt.like(forces));
}

class VelocityRescaling {
 public:
  GRAPHED(velocities: f32[kAtoms, 3] inplace)
  void apply(torch::Tensor& velocities) {
    std::normal_distribution<double> normal(0.0, 1.0);
    const double draw = normal(engine_);
    const torch::Tensor kinetic = 0.5 * velocities.square().sum();
    const torch::Tensor factor = torch::sqrt(1 + rate_ * (target_ / kinetic - 1) + 2 * draw * torch::sqrt(rate_ * target_ / kinetic));
    velocities.mul_(factor);
  }

 private:
  std::mt19937 engine_{42};
  double target_ = 96.0, rate_ = 0.01;
};

class MolecularDynamics {
 public:
  GRAPHED(positions: f32[kAtoms, 3] inplace, velocities: f32[kAtoms, 3] inplace)
  void step(torch::Tensor& positions, torch::Tensor& velocities) {
    const auto start = std::chrono::steady_clock::now();
    const EnergyAndForces now = lennard_jones(positions);
    velocities += now.forces * timestep_;
    positions += velocities * timestep_;
    if (step_++ % 100 == 0) {
      const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
      std::cout << step_ << ' ' << now.energy.item<double>() << ' ' << elapsed.count() << '\n';
    }
  }

 private:
  double timestep_ = 1e-3;
  int64_t step_ = 0;
};

torch::Tensor encoded(const torch::Tensor& x, int64_t frequencies) {
  std::vector<torch::Tensor> parts{x};
  for (int64_t i = 0; i < frequencies; ++i) {
    parts.push_back(torch::sin(x * std::pow(2.0, i)));
    parts.push_back(torch::cos(x * std::pow(2.0, i)));
  }
  return torch::cat(parts, -1);
}

class RadianceFieldImpl : public torch::nn::Module {
 public:
  RadianceFieldImpl() {
    density_ =
        register_module("density", torch::nn::Sequential(torch::nn::Linear(3 + 36, 64), torch::nn::ReLU(), torch::nn::Linear(64, 65)));
    colour_ =
        register_module("colour", torch::nn::Sequential(torch::nn::Linear(64 + 3 + 24, 64), torch::nn::ReLU(), torch::nn::Linear(64, 3)));
  }

  GRAPHED(origins: f32[kRays, 3], directions: f32[kRays, 3])
  std::tuple<torch::Tensor, torch::Tensor> render(const torch::Tensor& origins, const torch::Tensor& directions) {
    torch::Tensor depths = torch::linspace(2.0, 6.0, kSamples, origins.options()).expand({kRays, kSamples});
    depths = depths + torch::rand_like(depths) * (4.0 / kSamples);
    const torch::Tensor points = origins.unsqueeze(1) + directions.unsqueeze(1) * depths.unsqueeze(-1);
    const torch::Tensor features = density_->forward(encoded(points, 6));
    const torch::Tensor views = encoded(torch::nn::functional::normalize(directions), 4).unsqueeze(1).expand({kRays, kSamples, 27});
    const torch::Tensor colours = torch::sigmoid(colour_->forward(torch::cat({features.slice(-1, 1), views}, -1)));
    const torch::Tensor spacing =
        torch::cat({depths.slice(1, 1) - depths.slice(1, 0, -1), torch::full({kRays, 1}, 1e10, depths.options())}, -1);
    const torch::Tensor alpha = 1 - torch::exp(-torch::relu(features.select(-1, 0)) * spacing);
    const torch::Tensor passed =
        torch::cumprod(torch::cat({torch::ones({kRays, 1}, alpha.options()), 1 - alpha + 1e-10}, -1), -1).slice(1, 0, -1);
    const torch::Tensor weights = alpha * passed;
    return {(weights.unsqueeze(-1) * colours).sum(1), weights};
  }

 private:
  torch::nn::Sequential density_{nullptr}, colour_{nullptr};
};
TORCH_MODULE(RadianceField);

GRAPHED(bins: f32[kRays, kSamples], weights: f32[kRays, kSamples])
torch::Tensor resample(const torch::Tensor& bins, const torch::Tensor& weights) {
  const torch::Tensor density = (weights + 1e-5) / (weights + 1e-5).sum(-1, true);
  const torch::Tensor cumulative = torch::cumsum(density, -1).contiguous();
  const torch::Tensor draws = torch::rand({kRays, kSamples}, bins.options());
  const torch::Tensor above = torch::searchsorted(cumulative, draws).clamp_max(kSamples - 1);
  const torch::Tensor below = (above - 1).clamp_min(0);
  return torch::lerp(bins.gather(1, below), bins.gather(1, above), draws);
}

class Gaussians {
 public:
  GRAPHED(scaling: f32[kPoints, 3] grad, rotation: f32[kPoints, 4] grad)
  torch::Tensor covariance(const torch::Tensor& scaling, const torch::Tensor& rotation) {
    const torch::Tensor q = torch::nn::functional::normalize(rotation, torch::nn::functional::NormalizeFuncOptions().p(2).dim(1));
    const std::vector<torch::Tensor> c = q.unbind(1);
    torch::Tensor r = torch::zeros({q.size(0), 3, 3}, q.options());
    r.index_put_({torch::indexing::Slice(), 0, 0}, 1 - 2 * (c[2] * c[2] + c[3] * c[3]));
    r.index_put_({torch::indexing::Slice(), 0, 1}, 2 * (c[1] * c[2] - c[0] * c[3]));
    r.index_put_({torch::indexing::Slice(), 1, 0}, 2 * (c[1] * c[2] + c[0] * c[3]));
    r.index_put_({torch::indexing::Slice(), 1, 1}, 1 - 2 * (c[1] * c[1] + c[3] * c[3]));
    r.index_put_({torch::indexing::Slice(), 2, 2}, 1 - 2 * (c[1] * c[1] + c[2] * c[2]));
    const torch::Tensor l = r.bmm(torch::diag_embed(torch::exp(scaling)));
    return l.bmm(l.transpose(1, 2));
  }

  GRAPHED(gradient: f32[kPoints, 3]; step)
  void densify(const torch::Tensor& gradient) {
    torch::NoGradGuard no_grad;
    accumulated_ += gradient.norm(2, -1, true);
    const torch::Tensor chosen = (accumulated_ > 0.0002).squeeze(1);
    positions_ = torch::cat({positions_, positions_.index({chosen})});
    accumulated_ = torch::zeros({positions_.size(0), 1}, positions_.options());
  }

 private:
  torch::Tensor positions_ = torch::randn({kPoints, 3}), accumulated_ = torch::zeros({kPoints, 1});
};

class KalmanFilter {
 public:
  GRAPHED(state: f32[6, 1], covariance: f32[6, 6], measured: f32[3, 1])
  std::tuple<torch::Tensor, torch::Tensor> update(const torch::Tensor& state, const torch::Tensor& covariance,
                                                  const torch::Tensor& measured) {
    const torch::Tensor innovation = measured - observe_.matmul(state);
    const torch::Tensor s = observe_.matmul(covariance).matmul(observe_.t()) + noise_;
    const torch::Tensor gain = covariance.matmul(observe_.t()).matmul(torch::inverse(s));
    return {state + gain.matmul(innovation), covariance - gain.matmul(observe_).matmul(covariance)};
  }

  GRAPHED(state: f32[6, 1], covariance: f32[6, 6], measured: f32[3, 1])
  std::tuple<torch::Tensor, torch::Tensor> update_unchecked(const torch::Tensor& state, const torch::Tensor& covariance,
                                                            const torch::Tensor& measured) {
    const torch::Tensor s = observe_.matmul(covariance).matmul(observe_.t()) + noise_;
    const torch::Tensor gain = covariance.matmul(observe_.t()).matmul(std::get<0>(torch::linalg_inv_ex(s)));
    return {state + gain.matmul(measured - observe_.matmul(state)), covariance - gain.matmul(observe_).matmul(covariance)};
  }

 private:
  torch::Tensor observe_ = torch::eye(3, 6), noise_ = 0.1 * torch::eye(3);
};

GRAPHED(source: f32[kPoints, 3], target: f32[kPoints, 3])
torch::Tensor rigid_alignment(const torch::Tensor& source, const torch::Tensor& target) {
  const torch::Tensor correlation = (source - source.mean(0)).t().matmul(target - target.mean(0));
  auto [u, s, v] = torch::svd(correlation);
  if (torch::det(v.matmul(u.t())).item<float>() < 0) {
    v.select(1, 2).neg_();
  }
  return v.matmul(u.t());
}

class HeatEquation {
 public:
  GRAPHED(x: f32[kPoints, 1], t: f32[kPoints, 1])
  torch::Tensor residual(const torch::Tensor& x, const torch::Tensor& t) {
    const torch::Tensor place = x.clone().requires_grad_(true), time = t.clone().requires_grad_(true);
    const torch::Tensor u = net_->forward(torch::cat({place, time}, 1));
    const torch::Tensor ones = torch::ones_like(u);
    const torch::Tensor u_x = torch::autograd::grad({u}, {place}, {ones}, true, true)[0];
    const torch::Tensor u_t = torch::autograd::grad({u}, {time}, {ones}, true, true)[0];
    const torch::Tensor u_xx = torch::autograd::grad({u_x}, {place}, {ones}, true, true)[0];
    return (u_t - 0.1 * u_xx).square().mean();
  }

 private:
  torch::nn::Sequential net_{torch::nn::Linear(2, kWidth), torch::nn::Tanh(), torch::nn::Linear(kWidth, 1)};
};

}  // namespace simulations
