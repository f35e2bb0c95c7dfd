// SPDX-License-Identifier: Apache-2.0
//
// What a run reported, kept for the formats that are written at its end.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace graphgen::report {

struct Position {
  unsigned Line = 0;       // from 1
  unsigned Column = 0;     // from 1, in bytes, as Clang prints it
  unsigned Character = 0;  // from 1, in code points
};

/// Bytes [Offset, Offset + Length) of a file.
struct Region {
  std::string File;  // absolute
  unsigned Offset = 0;
  unsigned Length = 0;
  Position Begin, End;
};

struct Edit {
  Region Where;
  std::string Text;
};

struct Note {
  std::optional<Region> Where;
  std::string Text;
  bool IsCall = false;  // a call between the message's place and the annotated callable
  std::vector<Edit> Fix;
};

enum class Level { Warning, Error };

struct Message {
  std::string Id;  // "graphed-syntax"; "clang-diagnostic-error" of the compiler's own; empty where the run could not go on
  Level Severity = Level::Error;
  std::string Text;  // without the id
  std::optional<Region> Where;
  std::string Line;  // in which Where begins, without the blanks around it
  std::vector<Edit> Fix;
  std::vector<Note> Notes;
};

struct Report {
  std::vector<Message> Messages;
  std::map<std::string, std::string> Sources;  // what the files held that edits are for

  void append(Report Other);
};

/// What --fix and clang-apply-replacements do about the message: its own fix, else that of its notes if only one of them has one. Several
/// are alternatives, among which a person chooses. Null where there is none.
const std::vector<Edit>* fixOf(const Message& M);

/// Several messages may have one edit, which is to be made once.
class EditsSeen {
 public:
  bool isNew(const Edit& E) { return Seen.emplace(E.Where.File, E.Where.Offset, E.Where.Length, E.Text).second; }

 private:
  std::set<std::tuple<std::string, unsigned, unsigned, std::string>> Seen;
};

}  // namespace graphgen::report
