// SPDX-License-Identifier: Apache-2.0
// Evidence: how sure the model was of a value's decisions; what confidence is made of.
#pragma once

namespace seqgpt {

/// The model's log-probabilities of a value's decisions among their competitors under the
/// constraint; forced tokens and single rows have no part in them.
struct Evidence {
  double first = 0;  // its first choice, against None and other beginnings
  double inner = 0;  // sum of the choices within it
  double stop = 0;   // that it ends here
};

}  // namespace seqgpt
