# SPDX-License-Identifier: Apache-2.0
#
# Tests of the command as a whole: each file's RUN lines call graphgen, FileCheck reads what it says.
import os
import shutil

import lit.formats

config.name = "graphgen"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".h", ".hpp", ".cpp", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = config.binary_dir

config.environment["PATH"] = os.pathsep.join([os.path.dirname(config.graphgen), config.llvm_bin, config.environment["PATH"]])
config.environment["GRAPHGEN_CACHE"] = os.path.join(config.binary_dir, "cache")

inputs = os.path.join(config.test_source_root, "Inputs")
flags = "-- -std=c++17 -I%s -I%s" % (inputs, config.runtime_include)
config.substitutions.append(("%flags", flags + " -fdiagnostics-parseable-fixits"))
config.substitutions.append(("%includes", "-I%s -I%s" % (inputs, config.runtime_include)))
config.substitutions.append(("%docs", config.docs))
config.substitutions.append(("%generator", config.generator_source))
config.substitutions.append(("%python", config.python))
config.substitutions.append(("%samples", config.samples))
config.substitutions.append(("%generated", config.generated))
singly = os.path.join(inputs, "report", "singly.py")
config.substitutions.append(("%singly", '"%s" "%s"' % (config.python, singly)))
# The LibTorch that is built against, for the few tests that are about its own headers: each takes as long as its scan.
torch_include = os.path.join(config.torch_root, "include")
if os.path.isdir(torch_include):
    config.available_features.add("torch")
    api = os.path.join(torch_include, "torch", "csrc", "api", "include")
    libtorch = (config.torch_standard, torch_include, api, config.runtime_include)
    config.substitutions.append(("%libtorch_flags", "-- -std=%s -isystem %s -isystem %s -I%s" % libtorch))

# Shells that completions are tried in, where there are any.
for shell in ("zsh", "fish"):
    if shutil.which(shell):
        config.available_features.add(shell)

# The schema that the wheel of LibTorch contains, and no other distribution of it.
schema = os.path.join(os.path.dirname(config.torch_root), "torchgen", "packaged", "ATen", "native", "native_functions.yaml")
if os.path.isfile(schema):
    config.available_features.add("schema")
    config.substitutions.append(("%schema", schema))
    config.substitutions.append(("%site_packages", os.path.dirname(config.torch_root)))

# A container may have none.
try:
    for descriptor in os.openpty():
        os.close(descriptor)
    config.available_features.add("terminal")
except OSError as error:
    lit_config.note("what graphgen prints on a terminal is not tested: %s" % error)

# %exits <status> <command...>: the command ends with this status, and no other.
exits = "import subprocess, sys; sys.exit(subprocess.run(sys.argv[2:]).returncode != int(sys.argv[1]))"
config.substitutions.append(("%exits", '"%s" -c "%s"' % (config.python, exits)))
