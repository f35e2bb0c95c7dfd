// SPDX-License-Identifier: Apache-2.0
//
// A stand-in for LibTorch with the names that the generator looks for: a scan of it takes milliseconds.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace c10 {
enum class DeviceType : std::int8_t { CPU, CUDA };
constexpr DeviceType kCPU = DeviceType::CPU;
constexpr DeviceType kCUDA = DeviceType::CUDA;
enum class ScalarType : std::int8_t { Float, Long, Bool, Byte };
constexpr ScalarType kFloat = ScalarType::Float;
constexpr ScalarType kLong = ScalarType::Long;
constexpr ScalarType kBool = ScalarType::Bool;

class Device {
 public:
  Device(DeviceType type, std::int8_t index = -1);
  Device(const std::string& name);
};

class TensorOptions {
 public:
  TensorOptions() = default;
  TensorOptions(ScalarType dtype);
  template <class T, typename = std::enable_if_t<std::is_constructible<Device, T>::value>>
  TensorOptions(T&& device);
  TensorOptions device(Device device) const;
  TensorOptions dtype(ScalarType type) const;
};

class Half {
 public:
  Half(float value);
};

class Scalar {
 public:
  Scalar();
  Scalar(double value);
  Scalar(std::int64_t value);
  Scalar(int value);
  Scalar(float value);
  Scalar(std::uint64_t value);
  Scalar(Half value);
  template <class T, std::enable_if_t<std::is_same_v<T, bool>, bool>* = nullptr>
  Scalar(T value);
  bool toBool() const;
  double toDouble() const;
  float toFloat() const;
  template <class T>
  T to() const;
};

template <class T>
class ArrayRef {
 public:
  ArrayRef() = default;
  ArrayRef(const T& value);
  ArrayRef(const std::vector<T>& values);
  ArrayRef(const std::initializer_list<T>& values);
  const T& operator[](std::size_t index) const;
};
template <class T>
struct ListElementReference {
  ListElementReference& operator=(T&& value) &&;
  operator T() const;
};
template <class T>
class List {
 public:
  std::size_t size() const;
  T get(std::size_t index) const;
  void set(std::size_t index, T&& value) const;
  ListElementReference<T> operator[](std::size_t index) const;
  void push_back(T&& value) const;
  void clear() const;
  List copy() const;
};
template <class Key, class Value>
struct DictEntryRef {
  const Value& value() const;
  void setValue(Value&& value) const;
};
template <class Key, class Value>
class Dict {
 public:
  Value at(const Key& key) const;
  bool contains(const Key& key) const;
  DictEntryRef<Key, Value>* begin() const;
  DictEntryRef<Key, Value>* end() const;
  DictEntryRef<Key, Value>* find(const Key& key) const;
  void insert(Key key, Value value) const;
  void insert_or_assign(Key key, Value value) const;
  std::size_t erase(const Key& key) const;
  Dict copy() const;
};
template <class T>
using optional = std::optional<T>;
using std::nullopt;
using IntArrayRef = ArrayRef<std::int64_t>;

template <class... Args>
std::string str(const Args&... args);
template <class T>
std::ostream& operator<<(std::ostream& stream, ArrayRef<T> list);
}  // namespace c10

namespace at {
using namespace c10;

template <class T, std::size_t N>
struct TensorAccessor {
  T& operator[](std::int64_t index);
};

class TensorBase {
 public:
  template <class T>
  T* data_ptr() const;
  void* data_ptr() const;
  template <class T, std::size_t N>
  TensorAccessor<T, N> accessor() const;
  std::int64_t size(std::int64_t dim) const;
  std::int64_t dim() const;
  std::int64_t numel() const;
  bool is_floating_point() const;
  bool is_leaf() const;
  bool is_view() const;
  bool is_same(const TensorBase& other) const;
  bool is_alias_of(const TensorBase& other) const;
  std::int64_t storage_offset() const;
  std::int64_t _version() const;
  c10::IntArrayRef sizes() const;
  bool defined() const;
  c10::Device device() const;
  c10::ScalarType scalar_type() const;
};

struct TensorIndex;

class Tensor : public TensorBase {
 public:
  Tensor() = default;
  Tensor(const Tensor&) = default;
  Tensor(Tensor&&) = default;
  Tensor& operator=(const Tensor& other) &;
  Tensor& operator=(Tensor&& other) &;
  Tensor& operator=(const Tensor& other) &&;
  Tensor& operator=(const c10::Scalar& value) &&;
  Tensor& operator+=(const Tensor& other);
  Tensor operator[](std::int64_t index) const;
  Tensor operator[](const Tensor& index) const;
  Tensor view(c10::IntArrayRef size) const;
  Tensor reshape(c10::IntArrayRef size) const;
  Tensor reshape_as(const Tensor& other) const;
  Tensor flatten(std::int64_t start_dim = 0, std::int64_t end_dim = -1) const;
  Tensor contiguous() const;
  Tensor transpose(std::int64_t dim0, std::int64_t dim1) const;
  std::vector<Tensor> chunk(std::int64_t chunks, std::int64_t dim = 0) const;
  Tensor as_strided(c10::IntArrayRef size, c10::IntArrayRef stride, std::optional<std::int64_t> storage_offset = std::nullopt) const;
  Tensor detach() const;
  Tensor tanh() const;
  Tensor& fill_(const c10::Scalar& value) const;
  Tensor& t_() const;
  Tensor& set_data(const Tensor& other) const;
  const Tensor& requires_grad_(bool requires_grad = true) const;
  const Tensor& grad() const;
  Tensor& mutable_grad() const;
  void retain_grad() const;
  template <class Hook>
  unsigned register_hook(Hook&& hook) const;
  void backward(const Tensor& gradient = {}, std::optional<bool> retain_graph = std::nullopt, bool create_graph = false,
                std::optional<ArrayRef<Tensor>> inputs = std::nullopt) const;
  Tensor operator+(const Tensor& other) const;
  Tensor operator+(const c10::Scalar& other) const;
  Tensor operator-(const Tensor& other) const;
  Tensor operator*(const Tensor& other) const;
  Tensor operator*(const c10::Scalar& other) const;
  Tensor operator>(const c10::Scalar& other) const;
  Tensor operator<(const Tensor& other) const;
  Tensor operator/(const Tensor& other) const;
  Tensor operator/(const c10::Scalar& other) const;
  Tensor& add_(const Tensor& other);
  Tensor& mul_(const Tensor& other) const;
  Tensor& mul_(const c10::Scalar& other) const;
  Tensor& zero_() const;
  Tensor matmul(const Tensor& other) const;
  Tensor select(std::int64_t dim, std::int64_t index) const;
  Tensor sum() const;
  Tensor max() const;
  Tensor nonzero() const;
  Tensor masked_select(const Tensor& mask) const;
  Tensor index(ArrayRef<TensorIndex> indices) const;
  Tensor index(std::initializer_list<TensorIndex> indices) const;
  Tensor operator~() const;
  Tensor operator&(const Tensor& other) const;
  Tensor& operator&=(const Tensor& other);
  Tensor& index_put_(std::initializer_list<TensorIndex> indices, const Tensor& rhs);
  Tensor& index_put_(std::initializer_list<TensorIndex> indices, const c10::Scalar& value);
  Tensor index_put(std::initializer_list<std::optional<Tensor>> indices, const Tensor& values, bool accumulate = false) const;
  Tensor index_select(std::int64_t dim, const Tensor& index) const;
  Tensor& index_copy_(std::int64_t dim, const Tensor& index, const Tensor& source) const;
  Tensor& index_add_(std::int64_t dim, const Tensor& index, const Tensor& source, const c10::Scalar& alpha = 1) const;
  Tensor& scatter_(std::int64_t dim, const Tensor& index, const Tensor& src) const;
  Tensor argmax(std::optional<std::int64_t> dim = std::nullopt, bool keepdim = false) const;
  Tensor& unsqueeze_(std::int64_t dim) const;
  Tensor all(std::int64_t dim, bool keepdim = false) const;
  Tensor toType(c10::ScalarType type) const;
  std::tuple<Tensor, Tensor> max(std::int64_t dim, bool keepdim = false) const;
  Tensor repeat_interleave(const Tensor& repeats, std::optional<std::int64_t> dim = std::nullopt,
                           std::optional<std::int64_t> output_size = std::nullopt) const;
  Tensor repeat_interleave(std::int64_t repeats, std::optional<std::int64_t> dim = std::nullopt,
                           std::optional<std::int64_t> output_size = std::nullopt) const;
  Tensor norm() const;
  Tensor all() const;
  c10::Scalar item() const;
  template <class T>
  T item() const;
  bool is_nonzero() const;
  bool equal(const Tensor& other) const;
  bool allclose(const Tensor& other, double rtol = 1e-05, double atol = 1e-08, bool equal_nan = false) const;
  Tensor eq(const Tensor& other) const;
  Tensor cpu() const;
  Tensor pin_memory() const;
  Tensor inverse() const;
  Tensor cumprod(std::int64_t dim) const;
  Tensor clone() const;
  Tensor coalesce() const;
  Tensor mm(const Tensor& mat2) const;
  Tensor to_dense() const;
  Tensor to_sparse_csr() const;
  Tensor where(const Tensor& condition, const Tensor& other) const;
  Tensor masked_fill(const Tensor& mask, const c10::Scalar& value) const;
  Tensor masked_fill(const Tensor& mask, const Tensor& value) const;
  Tensor narrow(std::int64_t dim, std::int64_t start, std::int64_t length) const;
  Tensor narrow(std::int64_t dim, const Tensor& start, std::int64_t length) const;
  c10::TensorOptions options() const;
  Tensor cuda() const;
  Tensor to(c10::TensorOptions options = {}, bool non_blocking = false, bool copy = false) const;
  Tensor to(c10::ScalarType dtype, bool non_blocking = false, bool copy = false) const;
  Tensor to(const Tensor& other, bool non_blocking = false, bool copy = false) const;
  Tensor& copy_(const Tensor& source, bool non_blocking = false) const;
};

namespace indexing {
struct Slice {
  Slice(std::optional<std::int64_t> start = std::nullopt, std::optional<std::int64_t> stop = std::nullopt);
};
struct EllipsisIndexType {};
extern const EllipsisIndexType Ellipsis;
}  // namespace indexing

struct TensorIndex {
  TensorIndex(Tensor tensor);
  TensorIndex(int index);
  TensorIndex(bool boolean);
  TensorIndex(indexing::Slice slice);
  TensorIndex(indexing::EllipsisIndexType ellipsis);
  TensorIndex(const char* text);
  TensorIndex(std::nullopt_t none);
};

Tensor operator*(const c10::Scalar& self, const Tensor& other);
bool is_nonzero(const Tensor& self);
bool equal(const Tensor& self, const Tensor& other);
bool allclose(const Tensor& self, const Tensor& other, double rtol = 1e-05, double atol = 1e-08, bool equal_nan = false);
Tensor where(const Tensor& condition, const Tensor& self, const Tensor& other);
std::vector<Tensor> where(const Tensor& condition);
Tensor bincount(const Tensor& self, const std::optional<Tensor>& weights = {}, std::int64_t minlength = 0);
Tensor one_hot(const Tensor& self, std::int64_t num_classes = -1);
Tensor& nonzero_out(Tensor& out, const Tensor& self);
Tensor& add_out(Tensor& out, const Tensor& self, const Tensor& other);
Tensor& relu_(Tensor& self);
Tensor tanh(const Tensor& self);
Tensor log_softmax(const Tensor& self, std::int64_t dim);
Tensor zeros_like(const Tensor& self);
Tensor reshape(const Tensor& self, c10::IntArrayRef shape);
Tensor max(const Tensor& self);
Tensor full_like(const Tensor& self, const c10::Scalar& fill_value, c10::TensorOptions options = {});
Tensor arange(const c10::Scalar& end, c10::TensorOptions options = {});
Tensor matrix_exp(const Tensor& self);
Tensor randn(c10::IntArrayRef size, c10::TensorOptions options = {});
Tensor zeros(c10::IntArrayRef size, c10::TensorOptions options = {});
Tensor ones(c10::IntArrayRef size, c10::TensorOptions options = {});
Tensor full(c10::IntArrayRef size, const c10::Scalar& fill_value, c10::TensorOptions options = {});
Tensor tensor(ArrayRef<float> values, c10::TensorOptions options = {});
Tensor ones_like(const Tensor& self, c10::TensorOptions options = {});
std::ostream& operator<<(std::ostream& stream, const Tensor& tensor);
void print(const Tensor& tensor, std::int64_t linesize = 80);

using TensorList = c10::ArrayRef<Tensor>;
void _foreach_add_(TensorList self, const c10::Scalar& scalar);
}  // namespace at

namespace torch {
using namespace at;
using at::Tensor;
using at::TensorList;
using c10::nullopt;
using c10::optional;
using Dtype = at::ScalarType;

template <typename Key, typename Value>
class OrderedDict {
 public:
  struct Item {
    const Key& key() const;
    Value& value();
  };
  typename std::vector<Item>::iterator begin();
  typename std::vector<Item>::iterator end();
};

namespace nn {
template <class Contained>
class ModuleHolder;
class Module {
 public:
  virtual ~Module() = default;
  virtual void train(bool on = true);
  virtual void to(c10::Device device, bool non_blocking = false);
  void eval();
  std::vector<Tensor> parameters() const;
  Tensor& register_buffer(std::string name, Tensor tensor);
  template <class Contained>
  std::shared_ptr<Contained> register_module(std::string name, ModuleHolder<Contained> holder);
  std::vector<std::shared_ptr<Module>> modules(bool include_self = true) const;
  std::vector<std::shared_ptr<Module>> children() const;
  OrderedDict<std::string, std::shared_ptr<Module>> named_children() const;
  template <class Holder, class Contained = typename Holder::ContainedType>
  Contained* as();
};

template <class Derived>
class Cloneable : public virtual Module {};

template <class Contained>
class ModuleHolder {
 public:
  using ContainedType = Contained;
  Contained* operator->() const { return impl_.get(); }
  template <class... Args>
  auto operator()(Args&&... args) {
    return impl_->forward(std::forward<Args>(args)...);
  }
  Contained& operator*() const { return *impl_; }
  template <class Arg>
  decltype(auto) operator[](Arg&& arg) {
    return (*impl_)[std::forward<Arg>(arg)];
  }
  const std::shared_ptr<Contained>& ptr() const { return impl_; }

 private:
  std::shared_ptr<Contained> impl_;
};
namespace utils {
void vector_to_parameters(const Tensor& vec, const std::vector<Tensor>& parameters);
}  // namespace utils
}  // namespace nn
}  // namespace torch

#include "autograd.h"
#include "threads.h"

#define TORCH_CHECK(condition, ...) \
  if (!(condition))                 \
  throw std::string(c10::str(__VA_ARGS__))

#define TORCH_MODULE(Name)                                   \
  class Name : public torch::nn::ModuleHolder<Name##Impl> {  \
   public:                                                   \
    using torch::nn::ModuleHolder<Name##Impl>::ModuleHolder; \
  }
