// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/workspace_maps.h"

#include <utility>

namespace graphed {
namespace {

void drop_owner(void* context) { delete static_cast<workspace_owner*>(context); }

}  // namespace

bool is_shared_workspace(const at::DataPtr& entry) { return entry.get_deleter() == &drop_owner; }

workspace_owner share_workspace(at::DataPtr& entry) {
  if (is_shared_workspace(entry)) {
    return *static_cast<const workspace_owner*>(entry.get_context());
  }
  auto shared = std::make_shared<at::DataPtr>(std::move(entry));
  entry = own_workspace(shared);
  return shared;
}

at::DataPtr own_workspace(const workspace_owner& workspace) {
  return {workspace->get(), new workspace_owner(workspace), &drop_owner, workspace->device()};
}

}  // namespace graphed
