// SPDX-License-Identifier: Apache-2.0
#include "report/remedies.h"

#include "report/pages.h"

namespace graphed::impl {

remedy remedy_of(Miss reason) {
  switch (reason) {
    case Miss::Dtype:
    case Miss::Shape:
    case Miss::Strides:
    case Miss::Alignment:
    case Miss::Device:
    case Miss::Undefined:
    case Miss::ListLength:
    case Miss::InferenceTensor:
      return {"pass what is annotated; annotate further sizes, or pad", pages::guards};
    case Miss::RequiresGrad:
      return {"`GRAPHED(x: f32[2, 2] grad)` where it needs a gradient", pages::guards};
    case Miss::Sizes:
      return {"write a larger number, or the values", pages::guards};
    case Miss::Address:
      return {"keep its memory, or leave `static` away", pages::guards};
    case Miss::Padding:
      return {"let each result have the padded dimension, or annotate the size", pages::padding};
    case Miss::Overlap:
      return {"pass another tensor", pages::guards};
    case Miss::Slots:
      return {"`slots = n`, as many as calls are made before their backwards", pages::calls_in_flight};
    case Miss::CaptureFailed:
      return {"read at which operator and why: graphgen's checks report most of it at build time", pages::failure};
    case Miss::CaptureBusy:
      return {"nothing: the next one captures", pages::streams_and_threads};
    case Miss::CaptureLimit:
      return {"mark scalars `live` that need not be a `key`", pages::failure};
    case Miss::Disabled:
      return {"", pages::environment};
    case Miss::Nested:
      return {"", pages::nested_capture};
    case Miss::NewKey:
      return {"pass what changes as an argument marked `live`, or read it in graphed::host", pages::modes};
    case Miss::NumReasons:
      break;
  }
  return {};
}

}  // namespace graphed::impl
