// SPDX-License-Identifier: Apache-2.0
// Messages to the service manager, by path and by abstract name.
#include "server/notify.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>

namespace seqgpt {
namespace {

/// What arrives at a datagram socket of this name after `send` was called.
template <typename Send>
std::string received(const std::string& name, const Send& send) {
  const int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, name.data(), name.size());
  if (name[0] == '@') address.sun_path[0] = '\0';
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
  EXPECT_EQ(::bind(socket, reinterpret_cast<sockaddr*>(&address), size), 0);
  send();
  char bytes[64];
  const ssize_t got = ::recv(socket, bytes, sizeof bytes, 0);
  ::close(socket);
  return got > 0 ? std::string(bytes, static_cast<size_t>(got)) : "";
}

TEST(Notify, ReachesASocketByPathAndByName) {
  const std::string path = testing::TempDir() + "seqgpt-notify-" + std::to_string(getpid());
  for (const std::string& name : {path, "@seqgpt-notify-" + std::to_string(getpid())})
    EXPECT_EQ(received(name, [&] { EXPECT_TRUE(notify_manager(name, "READY=1")); }), "READY=1");
  ::unlink(path.c_str());
}

TEST(Notify, DoesNothingWithoutAManager) {
  EXPECT_FALSE(notify_manager("", "READY=1"));
  EXPECT_FALSE(notify_manager("/nowhere/at/all", "READY=1"));
  EXPECT_FALSE(notify_manager(std::string(200, 'x'), "READY=1"));
}

}  // namespace
}  // namespace seqgpt
