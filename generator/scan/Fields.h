// SPDX-License-Identifier: Apache-2.0
//
// Classes as structs of data members.
#pragma once

#include <string>
#include <vector>

namespace clang {
class CXXRecordDecl;
class FieldDecl;
}  // namespace clang

namespace graphgen::scan {

/// By a public constructor, of a class that is defined.
bool isCopyable(const clang::CXXRecordDecl& Class);

/// What makes `Class` unfit, in words that follow "which"; empty where nothing does.
std::string whyNoStruct(const clang::CXXRecordDecl& Class);

/// The data members, those of bases first. For a class that matches.
std::vector<const clang::FieldDecl*> fieldsOf(const clang::CXXRecordDecl& Class);

}  // namespace graphgen::scan
