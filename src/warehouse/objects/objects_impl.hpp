// SPDX-License-Identifier: Apache-2.0
// Both kinds of objects, and how their places are read.
#pragma once

#include "warehouse/objects/objects.hpp"

namespace polytrace::warehouse {

struct ObjectsPlace {
  bool is_s3 = false;
  std::string server{};  // of S3: "https://host:port"
  std::string root{};    // the folder; of S3 "/bucket", with the prefix behind it
};
base::result<ObjectsPlace> parse_objects(std::string_view to);

std::unique_ptr<Objects> folder_objects(std::string root);
base::result<std::unique_ptr<Objects>> s3_objects(const ObjectsPlace& place,
                                                  ObjectsOptions options);

}  // namespace polytrace::warehouse
