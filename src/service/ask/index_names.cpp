// SPDX-License-Identifier: Apache-2.0
// The names of a trace as its index has them.
#include <array>

#include "event/batch.hpp"
#include "service/ask/calls_from_index.hpp"

namespace polytrace::service {
namespace {

using store::Entity;
using store::EntitySort;

// Tells names again what an index knows.
class NamesFromIndex {
 public:
  explicit NamesFromIndex(const store::Store& store) : store_(store) {}

  std::unique_ptr<const slice::Names> make() {
    tell_classes();
    const std::size_t methods = store_.entities().count(EntitySort::method);
    for (std::size_t i = 0; i < methods; ++i)
      if (tell_method(i) != i) return nullptr;
    return std::move(names_);
  }

 private:
  std::string_view text(std::uint64_t number) const { return store_.texts().text(number); }
  // Classes stand under their indexes: whatever had their ids, these are their own.
  void tell_classes() {
    const std::size_t classes = store_.entities().count(EntitySort::class_);
    for (std::size_t i = 0; i < classes; ++i) {
      const Entity& entity = store_.entities().of(EntitySort::class_, i);
      if (entity.name != Entity::kNone) tell(i, event::Class{.name = text(entity.name)});
    }
  }
  // A vtable means its class.
  std::uint64_t class_of(const Entity& method) const {
    if (method.class_index == Entity::kNone) return base::kNoId;
    const Entity& entity = store_.entities().of(EntitySort::class_, method.class_index);
    return entity.class_index == Entity::kNone ? method.class_index : entity.class_index;
  }
  std::uint32_t tell_method(std::size_t index) {
    const Entity& entity = store_.entities().of(EntitySort::method, index);
    if (entity.name != Entity::kNone)
      tell(entity.id, event::Method{.name = text(entity.name),
                                    .class_id = class_of(entity),
                                    .signature = text(entity.signature)});
    return names_->methods().index(entity.id);
  }
  template <class Details>
  void tell(base::Id id, const Details& details) {
    batch_.clear();
    batch_.add(0, batch_.thread_slot(base::kNoId), id, details);
    const std::array<std::uint32_t, 1> definition{0};
    names_->learn(batch_, definition, 0);
  }

  const store::Store& store_;
  std::unique_ptr<slice::Names> names_ = std::make_unique<slice::Names>();
  event::Batch batch_;
};

}  // namespace

std::unique_ptr<const slice::Names> names_of(const store::Store& store) {
  return NamesFromIndex(store).make();
}

}  // namespace polytrace::service
