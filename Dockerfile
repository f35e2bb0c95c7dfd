# SPDX-License-Identifier: Apache-2.0
#
# An image with graphgen, LibTorch and what builds a program with them:
#   docker build -t graphgen .
#   docker run --rm -v "$PWD":/work graphgen sh -c 'cmake -S . -B build -G Ninja && cmake --build build'
# For GPUs, BASE is an image that has the CUDA toolkit of LibTorch's version, 13.0, on Debian 12 or Ubuntu 22.04 or later.
ARG BASE=debian:12-slim

FROM debian:12-slim AS wheel
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates cmake g++ libclang-22-dev libclang-cpp22-dev libzstd-dev \
    llvm-22-dev ninja-build python3-venv zlib1g-dev
COPY . /graphgen
RUN python3 -m venv /tools && /tools/bin/pip wheel --no-deps --wheel-dir /wheel /graphgen

FROM ${BASE}
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates g++ python3-venv && rm -rf /var/lib/apt/lists/*
COPY --from=wheel /wheel /wheel
RUN python3 -m venv /opt/graphgen && /opt/graphgen/bin/pip install --no-cache-dir /wheel/*.whl torch==2.11.0 'cmake>=3.25' ninja \
    && ln -s /opt/graphgen/lib/python3.*/site-packages /opt/graphgen/site
ENV PATH=/opt/graphgen/bin:$PATH graphgen_DIR=/opt/graphgen/site/graphgen/lib/cmake/graphgen
WORKDIR /work
