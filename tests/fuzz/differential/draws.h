// SPDX-License-Identifier: Apache-2.0
//
// The random numbers of programs: those of LibTorch's default generators, in one order with what the callables draw. Programs that run side
// by side, whose callables draw none, have generators of their own.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/TensorOptions.h>

#include <cstdint>

namespace graphed::fuzz {

/// From now on the calling thread has its own generators, for the CPU and for `device`.
void draw_apart(c10::Device device);
bool draws_are_apart();

/// Of the generators that the calling thread draws from.
void seed_draws(uint64_t seed);
/// As at::randn, at::rand, at::randint and at::randn_like.
at::Tensor draw_normal(at::IntArrayRef sizes, const at::TensorOptions& options);
at::Tensor draw_uniform(at::IntArrayRef sizes, const at::TensorOptions& options);
at::Tensor draw_integers(int64_t below, at::IntArrayRef sizes, const at::TensorOptions& options);
at::Tensor draw_normal_like(const at::Tensor& tensor);

}  // namespace graphed::fuzz
