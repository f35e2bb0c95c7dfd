// SPDX-License-Identifier: Apache-2.0
#include "slot/capture_site.h"

#include "backend/captured_graph.h"
#include "report/environment.h"
#include "report/log.h"
#include "report/pages.h"
#include "report/run/collecting.h"
#include "report/text.h"
#include "report/thread_number.h"
#include "slot/dump.h"
#include "watch/graph_watch.h"
#include "watch/host_part.h"

#include <c10/util/ScopeExit.h>

#include <chrono>
#include <utility>

namespace graphed::impl {

capture_site::capture_site(std::shared_ptr<const CallableSpec> description, const SampleSpec& sample, impl::backend& backend,
                           std::shared_ptr<impl::pool> pool, c10::Device device, std::shared_ptr<ledger> counts)
    : description_(std::move(description)),
      spec(*description_),
      sample(sample),
      backend(backend),
      device(device),
      known_as(backend.describe(device)),
      counts(std::move(counts)),
      pool(std::move(pool)),
      order(this->pool->order()),
      backward_name(std::string(spec.name) + " backward") {}

capture_site::~capture_site() {
  counts->update([&](Statistics& stats) {
    stats.bytes_held -= bytes_held_;
    stats.bytes_pinned -= bytes_pinned_;
  });
}

std::size_t capture_site::branches() const {
  return !branches_allowed_ || environment::get().serial || environment::get().report_times ? 1 : spec.step ? 4 : 2;
}

void capture_site::replay(executable& work) const {
  try {
    work.replay();
  } catch (const changed_host_results& error) {
    throw Error(message_prefix(spec) + error.what() + see(pages::host_parts));
  }
}

void capture_site::hold(uint64_t bytes) {
  bytes_held_ += bytes;
  counts->update([&](Statistics& stats) { stats.bytes_held += bytes; });
}

void capture_site::hold_pinned(uint64_t bytes) {
  bytes_pinned_ += bytes;
  counts->update([&](Statistics& stats) { stats.bytes_pinned += bytes; });
}

std::unique_ptr<executable> capture_site::capture(const char* direction, capture_lane lane, const std::shared_ptr<recording>& seen,
                                                  c10::function_ref<void(open_capture&)> body) {
  const uint64_t before = pool->bytes();
  const auto start = std::chrono::steady_clock::now();
  const auto since_start = [&] { return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count(); };
  const auto count_time = c10::make_scope_exit([&] {  // of one that fails as well
    counts->update([&](Statistics& stats) { stats.capture_microseconds += since_start(); });
  });
  graph_dump files(spec, direction);
  const auto inspect = [&](captured_graph& graph) {
    graph.hold(seen->groups(), spec.name);
    files.write_graph(graph);
  };
  std::shared_ptr<graph_watch> watch;
  const auto watched_body = [&](open_capture& capture) {
    if (is_collecting() || graph_dump::is_wanted()) {
      watch = std::make_shared<graph_watch>(*seen, device, backend.watch_kernels(device));
      seen->add_recorder(watch);
    }
    body(capture);
  };
  if (pool->is_shared()) {
    seen->host_parts().refuse("it has host parts, and other callables share its pool, which may replay while one runs: leave out the pool");
  }
  auto work = backend.capture(device, *pool, seen, watched_body, inspect, lane, branches());
  const double elapsed = since_start();
  const uint64_t added = pool->bytes() - before;
  hold(added);
  if (watch) {
    const auto shown = std::make_shared<captured_work>(
        captured_work{since_begin(start), elapsed, thread_number(), added, watch->take(), watch->kept(work->held_memory())});
    files.write_operators(*shown);
    work->clock = watch->clock();
    if (is_collecting()) {
      work->reported = shown;
      work->time_operators();
    }
  }
  const fused_counts fused = work->fused();
  counts->update([&](Statistics& stats) {
    stats.fused_operators += fused.operators;
    stats.fused_kernels += fused.kernels;
  });
  if (is_logged(LogLevel::Captures)) {
    log(LogLevel::Captures, spec,
        std::string("captured the ") + direction + " in " + human_time(elapsed) + ", holds " + human_bytes(bytes_held_) +
            (fused.kernels == 0 ? "" : ", fused " + counted(fused.operators, "operator") + " into " + counted(fused.kernels, "kernel")));
  }
  return work;
}

void capture_site::note_moved(const moved_storages& moved) const {
  if (moved.count != 0) {
    counts->update([&](Statistics& stats) {
      stats.kept_outputs += moved.count;
      stats.bytes_moved += moved.bytes;
    });
  }
}

}  // namespace graphed::impl
