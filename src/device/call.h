#pragma once

#include <string>

namespace eutectic {

/** Leaves the sentence for eutectic_last_error() and returns the code, which is none of success. */
int refuse(int code, const std::string &sentence);

/** No error: eutectic_last_error() is empty. */
void clear_error();

/** eutectic_device_for() for a kernel of this name: its refusals name it. */
int device_for(const std::string &kernel, int made_for, int cuda_capability);

}  // namespace eutectic

// What the functions call that add_eutectic_library generates (cmake/EutecticPick.cmake); no part of the
// public interface.
extern "C" {

/** The device of this call, or a negative error code. Every call that got a device ends with
 * eutectic_end_call(). */
int eutectic_begin_call(const char *kernel, int made_for, int cuda_capability);

/** `code` is what the kernel returned; so does this, after it has made a sentence of the error. */
int eutectic_end_call(const char *kernel, int device, int code);
}
