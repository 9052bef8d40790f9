// SPDX-License-Identifier: Apache-2.0
// Which events are about methods and classes whose names contain a text. Definitions may come later
// than the events, so the whole trace is read for its names first.
#pragma once

#include <string>
#include <vector>

#include "base/seeded_hash.hpp"
#include "event/pump.hpp"

namespace polytrace::transform {

// As a consumer it learns the names; after finish() it can be asked. Asking is thread-safe.
class Subjects final : public event::Consumer {
 public:
  // An empty text is no condition. Methods have to meet both, by their name as reports show it and
  // by their class.
  Subjects(std::string method, std::string in_class)
      : method_text_(std::move(method)), class_text_(std::move(in_class)) {}

  bool consume(const event::Batch& batch) override;
  void finish();

  // Whether the event's subject, its class or a frame of its stack is one of them. A call is only
  // about its method.
  bool fit(const event::Batch& batch, const event::Event& event) const;

 private:
  struct Method {
    base::Id id;
    base::Id class_id;
    std::string name;
  };
  bool fits(const Method& method) const;
  void learn(const event::Batch& batch, const event::Event& event);

  std::string method_text_;
  std::string class_text_;
  std::vector<Method> defined_;
  base::IdMap<std::string> class_names_;
  base::IdMap<base::Id> vtables_;
  base::IdSet methods_;
  base::IdSet classes_;
};

}  // namespace polytrace::transform
