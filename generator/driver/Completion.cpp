// SPDX-License-Identifier: Apache-2.0
//
// Of each shell: a function that knows the options, what each takes, the subcommand doctor, and that all else are files.
#include "driver/Completion.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

namespace graphgen::driver {
namespace {

using Rows = llvm::ArrayRef<OptionRow>;

std::string escaped(llvm::StringRef Text, llvm::StringRef Characters, llvm::StringRef Escape) {
  std::string Result;
  for (const char Each : Text) {
    Result += (Characters.contains(Each) ? Escape.str() : "") + Each;
  }
  return Result;
}

std::string wordsOf(const OptionRow& Row) {
  return llvm::join(llvm::map_range(Row.Choices, [](const OptionRow::Choice& Each) { return Each.Word; }), " ");
}

/// "--check --out-dir= ..."
std::string optionWords(Rows All, bool OfDoctor) {
  std::string Words;
  for (const OptionRow& Each : All) {
    if (Each.IsOfDoctor || !OfDoctor) {
      const bool IsJoined = !Each.Value.empty() && Each.Name.size() > 1;
      Words += (Words.empty() ? "" : " ") + Each.spelling() + (IsJoined ? "=" : "");
    }
  }
  return Words;
}

/// What completes the value of an option, in Bash; empty where nothing does.
std::string bashValue(const OptionRow& Row) {
  if (!Row.Choices.empty()) {
    return "-W '" + wordsOf(Row) + "'";
  }
  return Row.takesFolder() ? "-d" : Row.takesFile() ? "-f" : "";
}

void printBash(Rows All, llvm::raw_ostream& Out) {
  Out << R"text(# Completions of graphgen for Bash.
_graphgen() {
  local current=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]} word values
  # Bash takes the equals sign for a word.
  if [[ $current == = ]]; then
    current=
  elif [[ $option == = ]]; then
    option=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  COMPREPLY=()
  for word in "${COMP_WORDS[@]:1:COMP_CWORD - 1}"; do
    if [[ $word == -- ]]; then
      compopt -o default
      return
    fi
  done
  case $option in
)text";
  for (const OptionRow& Each : All) {
    if (!Each.Value.empty()) {
      Out << "    " << Each.spelling() << ") values=\"" << bashValue(Each) << "\" ;;\n";
    }
  }
  Out << "    *)\n      if [[ ${COMP_WORDS[1]} == doctor && $COMP_CWORD -gt 1 ]]; then\n        values=\"-W '"
      << optionWords(All, /*OfDoctor=*/true) << "'\"\n      elif [[ $current == -* ]]; then\n        values=\"-W '"
      << optionWords(All, /*OfDoctor=*/false) << R"text('"
      elif [[ $COMP_CWORD == 1 ]]; then
        values="-f -W doctor"
      else
        values=-f
      fi
      ;;
  esac
  [[ -n $values ]] || return
  [[ $values != -[df]* ]] || compopt -o filenames
  eval "mapfile -t COMPREPLY < <(compgen $values -- \"\$current\")"
  [[ ${COMPREPLY[0]} != *= ]] || compopt -o nospace
}
complete -F _graphgen graphgen
)text";
}

void printZshOptions(Rows All, bool OfDoctor, llvm::raw_ostream& Out) {
  for (const OptionRow& Each : All) {
    if (OfDoctor && !Each.IsOfDoctor) {
      continue;
    }
    const std::string Action = !Each.Choices.empty() ? "(" + wordsOf(Each) + ")"
                               : Each.takesFolder()  ? "_files -/"
                               : Each.takesFile()    ? "_files"
                                                     : "";
    const std::string Meaning = escaped(escaped(Each.Meaning, "[]:\\", "\\"), "'", "'\\'");
    Out << "      '" << Each.spelling() << (Each.Value.empty() || Each.Name.size() == 1 ? "" : "=") << '[' << Meaning << ']';
    if (!Each.Value.empty()) {
      Out << ':' << Each.Value << ':' << Action;
    }
    Out << "' \\\n";
  }
}

void printZsh(Rows All, llvm::raw_ostream& Out) {
  Out << "#compdef graphgen\n# Completions of graphgen for Zsh.\n_graphgen() {\n  if [[ $words[2] == doctor && $CURRENT -gt 2 ]]; then\n"
      << "    _arguments \\\n";
  printZshOptions(All, /*OfDoctor=*/true, Out);
  Out << "      '1:command:(doctor)'\n  else\n    _arguments \\\n";
  printZshOptions(All, /*OfDoctor=*/false, Out);
  Out << R"text(      '1:file or command:{ compadd doctor; _files }' \
      '*:file:_files'
  fi
}
if [[ $funcstack[1] == _graphgen ]]; then
  _graphgen "$@"
else
  compdef _graphgen graphgen
fi
)text";
}

std::string fishQuoted(llvm::StringRef Text) { return "'" + escaped(Text, "'\\", "\\") + "'"; }

void printFish(Rows All, llvm::raw_ostream& Out) {
  Out << "# Completions of graphgen for fish.\n"
      << "complete -c graphgen -n __fish_is_first_token -a doctor -d 'print what graphgen needs of this machine'\n";
  for (const OptionRow& Each : All) {
    Out << "complete -c graphgen" << (Each.IsOfDoctor ? "" : " -n 'not __fish_seen_subcommand_from doctor'")
        << (Each.Name.size() == 1 ? " -s " : " -l ") << Each.Name;
    if (!Each.Choices.empty()) {
      Out << " -x -a '" << wordsOf(Each) << '\'';
    } else if (Each.takesFolder()) {
      Out << " -x -a '(__fish_complete_directories)'";
    } else if (!Each.Value.empty()) {
      Out << (Each.takesFile() ? " -r -F" : " -x");
    }
    Out << " -d " << fishQuoted(Each.Meaning) << '\n';
  }
}

}  // namespace

void printCompletion(Shell For, llvm::ArrayRef<OptionRow> All, llvm::raw_ostream& Out) {
  switch (For) {
    case Shell::Bash:
      return printBash(All, Out);
    case Shell::Zsh:
      return printZsh(All, Out);
    case Shell::Fish:
      return printFish(All, Out);
  }
}

}  // namespace graphgen::driver
