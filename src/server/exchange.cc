// SPDX-License-Identifier: Apache-2.0
// The handler's side of a request, and who may connect.
#include <algorithm>

#include "server/connection.h"

namespace seqgpt {

void Exchange::wake() {
  if (const auto connection = connection_.lock())
    connection->post([connection = connection.get()] { connection->wake(); });
}

void Exchange::send(HttpResponse response) {
  std::vector<std::function<void()>> ended;  // what they hold may hold this
  {
    const std::lock_guard lock(mutex_);
    if (closed_ || started_) return;
    started_ = closed_ = true;
    ended.swap(gone_);
    output_.head = std::move(response);
    output_.ended = ended_ = true;
  }
  wake();
}

void Exchange::start(HttpResponse head) {
  {
    const std::lock_guard lock(mutex_);
    if (closed_ || started_) return;
    started_ = true;
    output_.head = std::move(head);
    output_.streams = true;
  }
  wake();
}

void Exchange::write(std::string piece) {
  {
    const std::lock_guard lock(mutex_);
    if (closed_ || !started_ || piece.empty()) return;
    output_.pieces += piece;
  }
  wake();
}

void Exchange::finish() {
  std::vector<std::function<void()>> ended;
  {
    const std::lock_guard lock(mutex_);
    if (closed_ || !started_) return;
    closed_ = true;
    ended.swap(gone_);
    output_.ended = ended_ = true;
  }
  wake();
}

void Exchange::on_gone(std::function<void()> gone) {
  {
    const std::lock_guard lock(mutex_);
    if (!closed_) {
      gone_.push_back(std::move(gone));
      return;
    }
    if (ended_) return;
  }
  gone();  // it has left already
}

void Exchange::run(std::function<void()> work) {
  if (const auto connection = connection_.lock()) connection->post(std::move(work));
}

bool Exchange::has_output() const {
  const std::lock_guard lock(mutex_);
  return output_.head.has_value() || !output_.pieces.empty() || output_.ended;
}

Exchange::Output Exchange::take_output() {
  const std::lock_guard lock(mutex_);
  Output output = std::move(output_);
  output_ = {};
  output_.streams = output.streams;
  return output;
}

void Exchange::client_gone() {
  std::vector<std::function<void()>> gone;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    gone.swap(gone_);
  }
  for (const auto& call : gone) call();
}

bool HttpShared::counts(const boost::asio::ip::address& address) const {
  if (address.is_loopback() && !options.limits.limit_loopback) return false;
  const std::string text = address.to_string();
  return std::ranges::find(options.trusted_proxies, text) == options.trusted_proxies.end();
}

bool HttpShared::enter(const boost::asio::ip::address& address) {
  if (open.load() >= options.limits.connections) return false;
  if (counts(address)) {
    const std::lock_guard lock(mutex_);
    size_t& held = by_address_[address];
    if (held >= options.limits.connections_per_address) return false;
    ++held;
  }
  ++open;
  return true;
}

void HttpShared::leave(const boost::asio::ip::address& address) {
  --open;
  if (!counts(address)) return;
  const std::lock_guard lock(mutex_);
  const auto held = by_address_.find(address);
  if (held != by_address_.end() && --held->second == 0) by_address_.erase(held);
}

}  // namespace seqgpt
