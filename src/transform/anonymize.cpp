// SPDX-License-Identifier: Apache-2.0
#include "transform/anonymize.hpp"

#include "event/copy.hpp"
#include "event/visit.hpp"

namespace polytrace::transform {
namespace {

using event::Batch;
using event::Event;
using event::Tag;

struct Replacer {
  const Tokens& tokens;
  Batch& batch;

  template <Tag tag, class T>
  void field(std::string_view, T& value) const {
    if constexpr (tag == Tag::kText) {
      if (!value.empty()) value = batch.keep(tokens.text(value));
    } else if constexpr (tag == Tag::kWhole) {
      if (!value.empty()) value = batch.keep(tokens.token(value));
    }
  }
};

}  // namespace

base::result<void> Anonymizer::write(const Batch& batch) {
  out_.clear();
  for (const Event& event : batch.events) {
    event::copy_event(batch, event, out_);
    if (event.detail == event::kAbsent) continue;
    event::with_kind(event.kind, [&](auto none) {
      Replacer replacer{tokens_, out_};
      visit_fields(replacer, out_.column<decltype(none)>().back());
    });
  }
  return to_->write(out_);
}

}  // namespace polytrace::transform
