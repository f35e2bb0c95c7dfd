// SPDX-License-Identifier: Apache-2.0
//
// The programs of tests/generator/programs/README.md, with arguments as they are annotated.
#include "judge.h"

#include "../programs/actors.cpp"
#include "../programs/learners.cpp"
#include "../programs/sequences.cpp"
#include "../programs/simulations.cpp"
#include "../programs/vision.cpp"

#include "actors.graphed.h"
#include "learners.graphed.h"
#include "sequences.graphed.h"
#include "simulations.graphed.h"
#include "vision.graphed.h"

namespace actors {
judged::Tensors tensors_of(const Decision& its) { return {its.action, its.log_probability, its.value}; }
judged::Tensors tensors_of(const ValueAndPolicy& its) { return {its.value, its.policy}; }
}  // namespace actors
namespace sequences {
judged::Tensors tensors_of(const Beams& its) { return {its.scores, its.tokens, its.finished}; }
}  // namespace sequences
namespace simulations {
judged::Tensors tensors_of(const EnergyAndForces& its) { return {its.energy, its.forces}; }
}  // namespace simulations

namespace {

using judged::Arguments;
using judged::Judge;
using judged::Reasons;

template <auto Callable, class Given, class... Made>
void judge(const Given& given, const Reasons& reasons = {}, const Made&... made) {
  Judge<Callable>::judge(given, reasons, made...);
}

Reasons harmless(const char* why) { return {why, ""}; }
Reasons not_found(const char* why) { return {"", why}; }

/// Of one tensor of these sizes.
auto of(std::vector<int64_t> sizes) {
  return [sizes = std::move(sizes)](Arguments& a) { return std::tuple(a.normal(sizes)); };
}

void judge_actors() {
  using namespace actors;
  const auto boards = [](int64_t batch) {
    return [=](Arguments& a) { return std::tuple(a.normal({batch, kPlanes * kMoves}), a.mask({batch, kMoves})); };
  };
  judge<&ActorCriticImpl::act>(of({kEnvironments, kObservation}));
  judge<&ValuePolicyNetImpl::forward>(boards(8));
  judge<&ValuePolicyNetImpl::losses>([](Arguments& a) {
    return std::tuple(a.normal({64, kPlanes * kMoves}), a.mask({64, kMoves}), a.uniform({64, kMoves}), a.normal({64, 1}));
  });
  judge<&SearchEvaluator::evaluate>(boards(8), {}, ValuePolicyNet());
  judge<&DqnAgent::act>(of({1, kObservation}));
  judge<&DqnAgent::explore>(
      [](Arguments& a) { return std::tuple(a.normal({kEnvironments, kObservation}), graphed::Scalar(0.05 * a.call())); });
  judge<&SquashedGaussianImpl::sample>(of({kEnvironments, kObservation}));
  judge<&RobotController::control>(of({1, kObservation}), harmless("only the robot sees its command, which replays leave as it was"));
  judge<&RunningNormalizer::update_and_normalize>(of({kEnvironments, kObservation}));
  judge<&DeviceNormalizerImpl::forward>(of({kEnvironments, kObservation}));
  judge<&OrnsteinUhlenbeck::operator()>(of({kEnvironments, kActions}));
  judge<&RecurrentActorImpl::step>(of({1, kObservation}));
  judge<&RecurrentActorImpl::step_from>(
      [](Arguments& a) { return std::tuple(a.normal({16, kObservation}), a.normal({16, kHidden}), a.uniform({16, 1})); });
}

void judge_learners() {
  using namespace learners;
  const auto digits = [](Arguments& a) { return std::tuple(a.normal({kBatch, kPixels}), a.below(10, {kBatch})); };
  const auto images = [](Arguments& a) { return std::tuple(a.uniform({kBatch, kPixels})); };
  const auto rollout = [](Arguments& a) {
    return std::tuple(
        Rollout{a.normal({kBatch, kObservation}), a.below(kActions, {kBatch}), a.normal({kBatch}), a.normal({kBatch}), a.normal({kBatch})});
  };
  judge<&DigitTrainer::learn>(digits);
  judge<&AdversarialTrainer::step>(images);
  judge<&VariationalAutoencoder::learn>(images);
  judge<&PpoLearner::minibatch>(rollout);
  judge<&PpoLearner::clipped_minibatch>(rollout);
  judge<&TwinDelayed::update>([](Arguments& a) {
    return std::tuple(Transitions{a.normal({kBatch, kObservation}), a.normal({kBatch, kActions}), a.normal({kBatch, 1}),
                                  a.normal({kBatch, kObservation}), a.uniform({kBatch, 1})},
                      a.call() % 4 == 0);
  });
  judge<&Temperature::update>(of({kBatch, 1}));
  judge<&DqnLearner::learn>(
      [](Arguments& a) {
        return std::tuple(Transitions{a.normal({kBatch, kObservation}), a.below(kActions, {kBatch}), a.normal({kBatch}),
                                      a.normal({kBatch, kObservation}), a.uniform({kBatch})});
      },
      harmless("there are not 1000 calls"));
  judge<&MixedPrecision::learn>(digits, {}, torch::Device(torch::kCPU));
  judge<&ScheduledTrainer::learn>(digits);
  judge<&average>([](Arguments& a) {
    const auto two = [&] { return std::vector<torch::Tensor>{a.normal({kHidden, kHidden}), a.normal({kHidden, kHidden})}; };
    const auto averages = two();
    return std::tuple(averages, two(), graphed::Scalar(0.9));
  });
}

void judge_sequences() {
  using namespace sequences;
  const auto tokens = [](Arguments& a) { return std::tuple(a.below(kVocabulary, {kBatch, kLength})); };
  judge<&WordModelImpl::forward>([](Arguments& a) {
    return std::tuple(a.below(kVocabulary, {kLength, kBatch}), std::tuple(a.normal({2, kBatch, kWidth}), a.normal({2, kBatch, kWidth})));
  });
  judge<&CharacterModelImpl::next>([](Arguments& a) { return std::tuple(a.below(kWidth, {1, kBatch})); });
  judge<&GptImpl::forward>(tokens);
  judge<&GptImpl::loss>(
      [](Arguments& a) { return std::tuple(a.below(kVocabulary, {kBatch, kLength}), a.below(kVocabulary, {kBatch, kLength})); });
  judge<&CountingCacheImpl::decode>(of({kBatch, 1, kWidth}));
  judge<&DeviceCacheImpl::decode>([](Arguments& a) { return std::tuple(a.normal({kBatch, 1, kWidth}), a.below(kLength, {1})); });
  judge<&sample_top_k>([](Arguments& a) { return std::tuple(a.normal({kBatch, kVocabulary}), graphed::Scalar(0.5 + a.call())); });
  judge<&sample_top_p>([](Arguments& a) { return std::tuple(a.normal({kBatch, kVocabulary}), 0.9); });
  judge<&BeamSearch::advance>(of({kBeams, kVocabulary}));
  judge<&extend>([](Arguments& a) {
    return std::tuple(a.normal({kBeams, kVocabulary}),
                      Beams{a.normal({kBeams}), a.below(kVocabulary, {kBeams, kLength}), a.mask({kBeams})});
  });
  judge<&GreedyTranslator::translate>(tokens);
  judge<&EncoderImpl::forward>([](Arguments& a) { return std::tuple(a.below(kVocabulary, {kLength, kBatch})); });
  judge<&PackedGruImpl::forward>(
      [](Arguments& a) { return std::tuple(a.normal({kLength, kBatch, kWidth}), a.below(kLength, {kBatch}) + 1); });
  judge<&masked_token_loss>([](Arguments& a) {
    return std::tuple(a.wanting_grad({kBatch, kLength, kVocabulary}), a.below(kVocabulary, {kBatch, kLength}), a.mask({kBatch, kLength}));
  });
}

void judge_simulations() {
  using namespace simulations;
  const auto points = [](int64_t width) {
    return [=](Arguments& a) { return std::tuple(a.normal({kPoints, width}), a.normal({kPoints, width})); };
  };
  const auto measured = [](Arguments& a) { return std::tuple(a.normal({6, 1}), a.normal({6, 6}), a.normal({3, 1})); };
  judge<&lennard_jones>(of({kAtoms, 3}));
  judge<&PotentialImpl::forward>(
      [](Arguments& a) { return std::tuple(a.wanting_grad({kAtoms, 3}), a.below(kSpecies, {kAtoms}), a.below(kAtoms, {2, kEdges})); });
  judge<&PairStyle::compute>([](Arguments& a) { return std::tuple(a.normal({kAtoms, 3}), a.below(kSpecies, {kAtoms})); });
  judge<&neighbours>([](Arguments& a) { return std::tuple(a.normal({kAtoms, 3}) * 4); });
  judge<&ForceMatching::learn>([](Arguments& a) {
    return std::tuple(a.normal({kAtoms, 3}), a.below(kSpecies, {kAtoms}), a.below(kAtoms, {2, kEdges}), a.normal({}),
                      a.normal({kAtoms, 3}));
  });
  judge<&verlet>([](Arguments& a) {
    return std::tuple(a.normal({kAtoms, 3}), a.normal({kAtoms, 3}), a.normal({kAtoms, 3}), graphed::Scalar(1e-3 * (a.call() + 1)));
  });
  judge<&VelocityRescaling::apply>(of({kAtoms, 3}));
  judge<&MolecularDynamics::step>([](Arguments& a) { return std::tuple(a.normal({kAtoms, 3}), a.normal({kAtoms, 3})); },
                                  harmless("the log is due in each hundredth call, the first of which is a warm-up"));
  judge<&RadianceFieldImpl::render>(
      [](Arguments& a) { return std::tuple(a.normal({kRays, 3}), a.normal({kRays, 3})); },
      not_found("cumprod's backward reads a value, which is told where an argument is marked 'grad', and not where parameters require it"));
  judge<&resample>([](Arguments& a) { return std::tuple(a.normal({kRays, kSamples}), a.uniform({kRays, kSamples})); });
  judge<&Gaussians::covariance>([](Arguments& a) { return std::tuple(a.wanting_grad({kPoints, 3}), a.wanting_grad({kPoints, 4})); });
  judge<&Gaussians::densify>(of({kPoints, 3}));
  judge<&KalmanFilter::update>(measured);
  judge<&KalmanFilter::update_unchecked>(measured);
  judge<&rigid_alignment>(points(3));
  judge<&HeatEquation::residual>(points(1));
}

void judge_vision() {
  using namespace vision;
  const auto pictures = of({kBatch, 3, kSide, kSide});
  const auto bytes = [](Arguments& a) { return std::tuple(a.bytes({kBatch, kSide, kSide, 3})); };
  const auto boxes = [](Arguments& a) { return std::tuple(a.uniform({kBoxes, 4}), a.uniform({kBoxes}), 0.5); };
  const auto pixels = [](Arguments& a) {
    return std::tuple(a.wanting_grad({kBatch, kClasses, kSide, kSide}), a.below(kClasses, {kBatch, kSide, kSide}));
  };
  judge<&LeNetImpl::forward>(of({64, 1, 28, 28}));
  judge<&ResNetImpl::forward>(pictures, harmless("nobody asks for the log"));
  judge<&preprocess>(bytes);
  judge<&PreprocessorImpl::forward>(bytes);
  judge<&anchor_transform>(
      [](Arguments& a) { return std::tuple(a.normal({kBatch, kAnchors, 5 + kClasses, kGrid, kGrid}), a.normal({kAnchors, 2})); });
  judge<&YoloHeadImpl::forward>(of({kBatch, 64, kGrid, kGrid}));
  judge<&confident>([](Arguments& a) { return std::tuple(a.normal({kBoxes, 5 + kClasses}), 0.5); });
  judge<&suppress>(boxes);
  judge<&suppress_in_place>(boxes);
  judge<&CumulativeNormImpl::forward>(pictures);
  judge<&UNetImpl::forward>(pictures);
  judge<&augment>(pictures);
  judge<&augment_each>(pictures);
  judge<&valid_pixel_loss>(pixels);
  judge<&dice_and_entropy>(pixels);
}

}  // namespace

void judge_programs() {
  judge_actors();
  judge_learners();
  judge_sequences();
  judge_simulations();
  judge_vision();
}
