// SPDX-License-Identifier: Apache-2.0
// The options that name a fleet's store, its collectors and their objects. One thread at a time.
#pragma once

#include <string>
#include <string_view>

#include "cli/frame/option_list.hpp"
#include "fleet/moments/piece.hpp"
#include "fleet/store.hpp"
#include "warehouse/objects/objects.hpp"

namespace polytrace::cli {

// Who asks a store.
class LoginOptions {
 public:
  void add_to(OptionList& list);
  void tell(warehouse::LinkOptions& options) const;

 private:
  std::string user_;
  std::string password_file_;
};

class StoreOptions {
 public:
  void add_to(OptionList& list);
  // Whether --store was said.
  bool is_told() const { return !address_.empty(); }
  // What they and the environment say. Errors: usage.
  base::result<warehouse::LinkOptions> link() const;
  // The store, connected. Errors: those of fleet::Store::open.
  base::result<fleet::Store> open() const;

 private:
  std::string address_;
  LoginOptions login_;
};

// Where a collector hands out what it keeps, itself or through a hub.
class EdgeOptions {
 public:
  void add_to(OptionList& list);
  // Whether there is a token, without which nobody is answered, or should be one.
  bool is_told() const { return !token_file_.empty() || !hub_.empty(); }
  // Errors: open_failed, of the token's file; usage.
  base::result<fleet::Edge> edge() const;

 private:
  static constexpr std::string_view kOwnPort = "http://127.0.0.1:8472";

  std::string url_{kOwnPort};
  std::string hub_, ca_, token_file_;
};

// Where collectors write what their rules keep: objects.to of their configuration.
class ObjectOptions {
 public:
  void add_to(OptionList& list);
  // By option or environment.
  bool is_told() const;
  warehouse::ObjectsOptions objects() const;

 private:
  std::string to_;
  std::string region_;
  std::string key_file_;
};

}  // namespace polytrace::cli
