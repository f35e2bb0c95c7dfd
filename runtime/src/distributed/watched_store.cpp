// SPDX-License-Identifier: Apache-2.0
#include "distributed/watched_store.h"

#include <c10/util/Exception.h>

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <utility>

namespace graphed::impl {

idle_connection::idle_connection(const std::string& host, uint16_t port) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &found) != 0) {
    return;
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> all(found, &::freeaddrinfo);
  for (const addrinfo* each = found; each != nullptr && socket_ < 0; each = each->ai_next) {
    const int made = ::socket(each->ai_family, each->ai_socktype | SOCK_CLOEXEC, each->ai_protocol);
    if (made >= 0 && ::connect(made, each->ai_addr, each->ai_addrlen) == 0) {
      socket_ = made;
    } else if (made >= 0) {
      ::close(made);
    }
  }
}

idle_connection::~idle_connection() {
  if (socket_ >= 0) {
    ::close(socket_);
  }
}

bool idle_connection::is_closed() const {
  pollfd asked{socket_, POLLIN | POLLRDHUP, 0};
  return socket_ >= 0 && ::poll(&asked, 1, /*timeout=*/0) > 0;
}

watched_store::watched_store(c10::intrusive_ptr<c10d::Store> store, std::shared_ptr<const idle_connection> keeper)
    : Store(store->getTimeout()), store_(std::move(store)), keeper_(std::move(keeper)) {}

c10d::Store& watched_store::live() const {
  if (keeper_->is_closed()) {
    C10_THROW_ERROR(DistNetworkError, "its connection is closed");
  }
  return *store_;
}

c10::intrusive_ptr<c10d::Store> watched_store::clone() { return c10::make_intrusive<watched_store>(live().clone(), keeper_); }

void watched_store::set(const std::string& key, const std::vector<uint8_t>& value) { live().set(key, value); }

std::vector<uint8_t> watched_store::get(const std::string& key) { return live().get(key); }

int64_t watched_store::add(const std::string& key, int64_t value) { return live().add(key, value); }

bool watched_store::deleteKey(const std::string& key) { return live().deleteKey(key); }

bool watched_store::check(const std::vector<std::string>& keys) { return live().check(keys); }

int64_t watched_store::getNumKeys() { return live().getNumKeys(); }

void watched_store::wait(const std::vector<std::string>& keys) { live().wait(keys); }

void watched_store::wait(const std::vector<std::string>& keys, const std::chrono::milliseconds& timeout) { live().wait(keys, timeout); }

}  // namespace graphed::impl
