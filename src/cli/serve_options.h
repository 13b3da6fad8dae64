// SPDX-License-Identifier: Apache-2.0
// What the server's settings mean to its parts.
#pragma once

#include <string>

#include "server/app.h"
#include "server/http_server.h"
#include "server/service.h"
#include "server/settings.h"

namespace seqgpt::cli {

/// A file of settings or fields: at most 1 MiB.
Result<std::string> read_small_file(const std::string& path);

/// Also raises the limit of open files to what the connections need.
HttpServerOptions http_options(const Settings& settings);
ServiceOptions service_options(const Settings& settings);
AppOptions app_options(const Settings& settings);
/// Reads the files of keys and fields.
Result<AppSecrets> read_secrets(const Settings& settings);

}  // namespace seqgpt::cli
