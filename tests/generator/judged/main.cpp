// SPDX-License-Identifier: Apache-2.0
//
// Prints what the tape says of each program: a line for `judged.py`.
#include <graphed/log.h>

#include <string_view>

void judge_bodies();
void judge_branches();
void judge_changes();
void judge_counters();
void judge_gradients();
void judge_lists();
void judge_operators();
void judge_programs();
void judge_rebound();
void judge_shapes();
void judge_surroundings();
void judge_values();
void judge_ways();
void judge_writes();

int main() {
  graphed::set_log_handler([](graphed::LogLevel, std::string_view) {});  // explain() shows
  judge_bodies();
  judge_branches();
  judge_changes();
  judge_counters();
  judge_gradients();
  judge_lists();
  judge_operators();
  judge_programs();
  judge_rebound();
  judge_shapes();
  judge_surroundings();
  judge_values();
  judge_ways();
  judge_writes();
}
