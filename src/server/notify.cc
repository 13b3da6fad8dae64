// SPDX-License-Identifier: Apache-2.0
// One datagram.
#include "server/notify.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>

namespace seqgpt {

bool notify_manager(const std::string& socket, const std::string& message) {
  sockaddr_un address{};
  if (socket.empty() || socket.size() >= sizeof address.sun_path) return false;
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, socket.data(), socket.size());
  if (socket.front() == '@') address.sun_path[0] = '\0';  // an abstract name
  const int descriptor = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return false;
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket.size());
  const ssize_t sent = ::sendto(descriptor, message.data(), message.size(), MSG_NOSIGNAL,
                                reinterpret_cast<const sockaddr*>(&address), length);
  ::close(descriptor);
  return sent == static_cast<ssize_t>(message.size());
}

}  // namespace seqgpt
