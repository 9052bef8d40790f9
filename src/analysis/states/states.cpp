// SPDX-License-Identifier: Apache-2.0
#include "analysis/states/states.hpp"

#include "analysis/states/derive/derivation.hpp"
#include "analysis/states/gather/gatherer.hpp"

namespace polytrace::analysis::states {

class States::Impl {
 public:
  explicit Impl(const StatesOptions& options) : gathered(options.sort_bytes), gatherer(gathered) {}

  Gathered gathered;
  Gatherer gatherer;
  base::Notices notices;
};

States::States(const StatesOptions& options) : impl_(std::make_unique<Impl>(options)) {}
States::~States() = default;

bool States::consume(const event::Batch& batch) {
  impl_->gatherer.consume(batch);
  return !impl_->gathered.sorter.error();
}

Extent States::extent() const {
  const Gathered& gathered = impl_->gathered;
  return {.first = gathered.first, .last = gathered.last, .clock_offset = gathered.clock_offset};
}

history::BuildOptions States::build_options() const {
  const Extent of = extent();
  history::BuildOptions options;
  options.start = of.first;
  options.ticks_per_second = of.ticks_per_second;
  options.clock_offset = of.clock_offset;
  return options;
}

base::result<void> States::build(history::Builder& builder) {
  const Extent of = extent();
  {
    Derivation derivation(impl_->gathered, builder, impl_->notices);
    if (auto derived = derivation.run(of.first); !derived) return derived;
  }
  return builder.close(of.last);
}

const base::Notices& States::notices() const { return impl_->notices; }

}  // namespace polytrace::analysis::states
