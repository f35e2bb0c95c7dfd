# SPDX-License-Identifier: Apache-2.0
def setup(app):
    return {"parallel_read_safe": True}
