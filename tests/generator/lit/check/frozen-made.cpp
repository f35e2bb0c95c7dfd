// SPDX-License-Identifier: Apache-2.0
//
// What makes an object changes nothing: a copy that gets the value of `this`, and a pointer to const that leads to a table.
// RUN: graphgen --check %s %flags 2>&1 | count 0
#include <graphed/annotate.h>
#include <torch/torch.h>

#include <memory>
#include <vector>

struct Row {
  int expand;
};
static std::vector<Row> table{{1}, {6}};

struct Actor {
  explicit Actor(const Row* row) : row(row) {}
  virtual ~Actor() = default;
  virtual torch::Tensor forward(const torch::Tensor& x) { return row->expand == 1 ? x * gain : x * 2; }
  std::unique_ptr<Actor> clone() const {
    auto made = std::make_unique<Actor>(row);
    made->gain = gain;
    return made;
  }
  const Row* row;
  double gain = 2;
};
struct Trainer {
  explicit Trainer(std::shared_ptr<Actor> of) : actor(of), rows(&table) {}
  GRAPHED(x: f32[4])
  torch::Tensor act(const torch::Tensor& x) { return actor->forward(x); }

 private:
  const std::shared_ptr<Actor> actor;
  const std::vector<Row>* rows;
};
