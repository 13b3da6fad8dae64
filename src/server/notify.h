// SPDX-License-Identifier: Apache-2.0
// Messages to the service manager that started us (sd_notify's protocol).
#pragma once

#include <string>

namespace seqgpt {

/// Sends e.g. "READY=1" to the socket that NOTIFY_SOCKET names (`socket`); nothing when it is
/// empty. False when it could not be sent.
bool notify_manager(const std::string& socket, const std::string& message);

}  // namespace seqgpt
