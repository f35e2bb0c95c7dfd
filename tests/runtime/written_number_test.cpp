// SPDX-License-Identifier: Apache-2.0
//
// Numbers of the host that an index writes, which the check graphed-host-memory shows. Also sparse tensors whose number of elements the
// host reads, which graphed-host-item shows; and what to write in their place.
#include "support/device_test.h"

#include <ATen/TensorIndexing.h>
#include <torch/types.h>

#include <limits>

namespace written_number_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;
using at::indexing::Slice;

GRAPHED_DEVICE_TEST_SUITE(WrittenNumber);

using Function = std::function<Tensor(const Tensor& x, const Tensor& places)>;
using Writing = std::function<void(Tensor& y, const Tensor& places)>;

void expect_as_eager(c10::Device device, const Function& function, uint64_t captures) {
  expect_same(device, [&](scenario& run) {
    const Tensor places = at::arange(0, 4, 2, run.options().dtype(at::kLong));
    subject f(run, {{"x", {4, 4}}}, [&](tensor_list& in) { return tensor_list{function(in[0], places)}; });
    for (int step = 0; step < 8; ++step) {
      run.see("y", f({run.random({4, 4})}));
    }
    f.expect_captures(captures);
  });
}

Function written(const Writing& writing) {
  return [writing](const Tensor& x, const Tensor& places) {
    Tensor y = x.clone();
    writing(y, places);
    return y;
  };
}

/// A copy from pageable memory, on a device.
const std::map<std::string, Writing> copied{
    {"at places", [](Tensor& y, const Tensor& places) { y.index_put_({places}, 1.0); }},
    {"at places of each row", [](Tensor& y, const Tensor& places) { y.index_put_({Slice(), places}, 1.0); }},
    {"at places of one row", [](Tensor& y, const Tensor& places) { y.index_put_({3, places}, 1.0); }},
    {"to an element", [](Tensor& y, const Tensor&) { y.index_put_({3, 3}, 1.0); }},
};

const std::map<std::string, Writing> filled{
    {"to a row", [](Tensor& y, const Tensor&) { y.index_put_({3}, 1.0); }},
    {"to a column", [](Tensor& y, const Tensor&) { y.index_put_({Slice(), 3}, 1.0); }},
    {"to an element by subscripts", [](Tensor& y, const Tensor&) { y[3][3] = 1.0; }},
    {"to an element by an index", [](Tensor& y, const Tensor&) { y.index({3, 3}) = 1.0; }},
    {"by index_fill_", [](Tensor& y, const Tensor& places) { y.index_fill_(0, places, 1.0); }},
    {"in a tensor", [](Tensor& y, const Tensor& places) { y.index_put_({places}, at::scalar_tensor(1.0)); }},
    {"of the device", [](Tensor& y, const Tensor& places) { y.index_put_({places}, at::full({}, 1.0, y.options())); }},
};

Tensor sparse(const Tensor& x, const Tensor& places) {
  return at::sparse_coo_tensor(at::stack({places, places}), x[0].narrow(0, 0, 2), {4, 4});
}

/// masked_fill_, of a fixed shape.
const std::map<std::string, Writing> masked{
    {"of elements", [](Tensor& y, const Tensor&) { y.index_put_({y > 0}, 1.0); }},
    {"of rows", [](Tensor& y, const Tensor&) { y.index_put_({y.select(1, 0) > 0}, 1.0); }},
    {"of columns", [](Tensor& y, const Tensor&) { y.index_put_({Slice(), y.select(0, 0) > 0}, -1.0); }},
};

/// Writes by a mask, whose elements an eager operator counts on the host.
const std::map<std::string, Writing> counted_by_mask{
    {"added to", [](Tensor& y, const Tensor&) { y.index_put_({y > 0}, at::scalar_tensor(1.0), /*accumulate=*/true); }},
    {"beside places",
     [](Tensor& y, const Tensor&) { y.index_put_({y.select(1, 0) > -10, at::arange(4, y.options().dtype(at::kLong))}, 1.0); }},
    {"of several values", [](Tensor& y, const Tensor&) { y.index_put_({y.select(1, 0) > -10}, y.select(0, 0).clone()); }},
};

const std::map<std::string, Function> counted{
    {"coalesce", [](const Tensor& x, const Tensor& places) { return sparse(x, places).coalesce().to_dense(); }},
    {"mm", [](const Tensor& x, const Tensor& places) { return sparse(x, places).mm(x); }},
    {"to_sparse", [](const Tensor& x, const Tensor&) { return x.to_sparse().to_dense(); }},
    {"to_sparse_csr", [](const Tensor& x, const Tensor&) { return x.to_sparse_csr().to_dense(); }},
};

TEST_P(WrittenNumber, IsRefusedWhereItIsCopiedToADevice) {
  for (const auto& [name, writing] : copied) {
    SCOPED_TRACE(name);
    expect_as_eager(device(), written(writing), device().is_cpu() ? 1 : 0);
  }
}

TEST_P(WrittenNumber, IsCapturedWhereItFills) {
  for (const auto& [name, writing] : filled) {
    SCOPED_TRACE(name);
    expect_as_eager(device(), written(writing), 1);
  }
}

TEST_P(WrittenNumber, ByAMaskIsCaptured) {
  for (const auto& [name, writing] : masked) {
    SCOPED_TRACE(name);
    expect_as_eager(device(), written(writing), 1);
  }
}

TEST_P(WrittenNumber, ByAMaskIsRefusedWhereItIsNotFilledIn) {
  for (const auto& [name, writing] : counted_by_mask) {
    SCOPED_TRACE(name);
    expect_as_eager(device(), written(writing), 0);
  }
}

TEST_P(WrittenNumber, ByAMaskHasGradients) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {4, 4}, at::kFloat, true}}, [](tensor_list& in) {
      Tensor y = in[0] * 2;
      y.index_put_({Slice(), in[0].detach().select(0, 0) > 0}, std::numeric_limits<double>::quiet_NaN());
      return tensor_list{y};
    });
    for (int step = 0; step < 8; ++step) {
      const Tensor x = run.leaf({4, 4}), y = f({x})[0];
      y.nan_to_num().sum().backward();
      run.see("y", y.nan_to_num());
      run.see("gradient", x.grad());
    }
    f.expect_captures(1);
  });
}

TEST_P(WrittenNumber, ThatChangesIsNeverCaptured) {
  expect_same([](scenario& run) {
    int count = 0;
    subject f(run, {{"x", {4, 4}}}, [&](tensor_list& in) {
      Tensor y = in[0].clone();
      y.index_put_({Slice(), 3}, ++count);
      return tensor_list{y};
    });
    for (int step = 0; step < 8; ++step) {
      run.see("y", f({run.random({4, 4})}));
    }
    f.expect_captures(0);
  });
  EXPECT_EQ(warnings_.count({"no capture is tried", "takes the number"}), 1U) << warnings_.all();
}

// Memory of tensors that operators have made and that are gone may become the number's.
TEST_P(WrittenNumber, ThatChangesIsSeenInMemoryThatWasUsedBefore) {
  expect_same([](scenario& run) {
    int count = 0;
    subject f(run, {{"x", {4, 4}}}, [&](tensor_list& in) {
      Tensor y = in[0].clone();
      const Tensor mask = y > 0;
      {
        tensor_list gone;
        for (int i = 0; i < 8; ++i) {
          gone.push_back(y + i);
        }
      }
      y.index_put_({mask}, ++count);
      return tensor_list{y};
    });
    for (int step = 0; step < 8; ++step) {
      run.see("y", f({run.random({4, 4})}));
    }
    f.expect_captures(0);
  });
  EXPECT_EQ(warnings_.count({"no capture is tried", "takes the number"}), 1U) << warnings_.all();
}

// A sparse tensor has no memory of its own.
TEST_P(WrittenNumber, ThatChangesIsSeenBesideASparseTensor) {
  expect_same([](scenario& run) {
    int count = 0;
    const Tensor table = at::eye(4, run.options()).to_sparse();
    subject f(run, {{"x", {4, 4}}}, [&](tensor_list& in) { return tensor_list{table.mm(in[0]).mul(++count)}; });
    for (int step = 0; step < 8; ++step) {
      run.see("y", f({run.random({4, 4})}));
    }
    f.expect_captures(0);
  });
  if (device().is_cpu()) {  // on a GPU the product may be what is reported
    EXPECT_EQ(warnings_.count({"no capture is tried", "takes the number"}), 1U) << warnings_.all();
  }
}

TEST_P(WrittenNumber, ThatIsHeldInHostMemoryIsRefusedOnADevice) {
  expect_same([](scenario& run) {
    const Tensor scale = at::full({}, 2.0);
    subject f(run, {{"x", {4, 4}}}, [&](tensor_list& in) { return tensor_list{in[0] * scale}; });
    for (int step = 0; step < 8; ++step) {
      run.see("y", f({run.random({4, 4})}));
      scale.add_(1);
    }
    f.expect_captures(run.device().is_cpu() ? 1 : 0);
  });
}

TEST_P(WrittenNumber, OfSparseElementsIsReadOnADevice) {
  if (device().is_cpu()) {
    GTEST_SKIP() << "no device";
  }
  for (const auto& [name, function] : counted) {
    SCOPED_TRACE(name);
    expect_as_eager(device(), function, 0);
  }
}

}  // namespace written_number_test
