// SPDX-License-Identifier: Apache-2.0
//
// A store of another process, which c10d asks only while that process lives: c10d warns of each answer that does not come, with its stack.
#pragma once

#include <torch/csrc/distributed/c10d/Store.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace graphed::impl {

/// A connection that carries no data, and that the other process's end closes.
class idle_connection {
 public:
  /// Where none can be made, nothing is known.
  idle_connection(const std::string& host, uint16_t port);
  ~idle_connection();
  idle_connection& operator=(idle_connection&&) = delete;

  bool is_closed() const;

 private:
  int socket_ = -1;
};

/// Throws c10::DistNetworkError where the process that keeps the store has ended. A call that is under way then is c10d's own.
class watched_store final : public c10d::Store {
 public:
  watched_store(c10::intrusive_ptr<c10d::Store> store, std::shared_ptr<const idle_connection> keeper);

  c10::intrusive_ptr<c10d::Store> clone() override;
  using Store::set;
  void set(const std::string& key, const std::vector<uint8_t>& value) override;
  std::vector<uint8_t> get(const std::string& key) override;
  int64_t add(const std::string& key, int64_t value) override;
  bool deleteKey(const std::string& key) override;
  bool check(const std::vector<std::string>& keys) override;
  int64_t getNumKeys() override;
  void wait(const std::vector<std::string>& keys) override;
  void wait(const std::vector<std::string>& keys, const std::chrono::milliseconds& timeout) override;

 private:
  c10d::Store& live() const;

  const c10::intrusive_ptr<c10d::Store> store_;
  const std::shared_ptr<const idle_connection> keeper_;
};

}  // namespace graphed::impl
