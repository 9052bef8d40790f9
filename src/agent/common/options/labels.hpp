// SPDX-License-Identifier: Apache-2.0
// Labels: who a recording is of (service, version, region), for those who gather many recordings.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/common/tools/faults.hpp"

namespace polytrace::agent {

// Of one name there is one, the last.
using Labels = std::vector<std::pair<std::string, std::string>>;

inline constexpr std::size_t kMostLabels = 40;
inline constexpr std::size_t kLongestLabel = 1024;  // bytes of a value

// "k=v" or "k:v", k as [A-Za-z_][A-Za-z0-9_.]*, at most 64 of them. False, with the reason in
// `faults`: it is none, there are too many, or it names what whoever gathers knows better (host,
// instance, tenant, container).
bool add_label(Labels& labels, std::string_view text, Faults& faults);

// POLYTRACE_LABELS (k=v,k=v), then what OpenTelemetry's programs are told:
// OTEL_RESOURCE_ATTRIBUTES, of which service.name and service.version are `service` and `version`,
// and OTEL_SERVICE_NAME. OpenTelemetry's are not written for us: what is no label there is left out
// without a word.
void add_labels_of_environment(Labels& labels, Faults& faults);

}  // namespace polytrace::agent
