#pragma once

/* Where the kernels run that add_eutectic_library made for several devices (TARGETS host host-cuda
 * host-opencl). For C and C++.
 *
 * By default each call runs on the first of cuda, opencl and cpu that the kernel was made for and that can be
 * used: cuda    its driver loads, has a device, and the device is not older than the kernel's code; opencl
 * its loader has a platform with a device that is no CPU (the cpu kernel is the better one there; ask for
 * opencl to get it); cpu     always. The environment variable EUTECTIC_DEVICE=cpu|cuda|opencl asks for one,
 * eutectic_use_device() does so from inside and wins.
 *
 * Arguments are the same halide_buffer_t everywhere. What a device wrote is there until it is copied back, as
 * always in Halide: Halide::Runtime::Buffer::copy_to_host() or halide_copy_to_host(), which do nothing for
 * what the CPU wrote. What the host changes it marks with set_host_dirty().
 *
 * Errors: functions that can fail return 0 or an error code of Halide's (negative) and leave a sentence for
 * eutectic_last_error(). A kernel that fails leaves its inputs on the host as they were. All of it may be
 * used from any thread. */

#ifdef __cplusplus
extern "C" {
#endif

/** Bits, so that several are one number. */
enum eutectic_device { eutectic_cpu = 1, eutectic_opencl = 2, eutectic_cuda = 4 };

/** The devices that can be used here, as bits; eutectic_cpu is always among them. Looked up once in a
 * process. */
int eutectic_usable_devices(void);

/** "cpu", "cuda" or "opencl": every kernel runs there from now on, or refuses. "auto" or null: as by default,
 * EUTECTIC_DEVICE included. A device that cannot be used, or another name, is an error, and the choice is
 * then what it was. */
int eutectic_use_device(const char *name);

/** Where a kernel made for the devices `made_for` (bits) runs now: one of the bits, or an error code.
 * `cuda_capability`: 10 times the compute capability that its CUDA code is for (75 for 7.5). */
int eutectic_device_for(int made_for, int cuda_capability);

/** CUDA work that this thread starts uses the caller's context (CUcontext) and stream (CUstream; null: the
 * context's default stream) from now on. A null context: the one that is current when a stream is given, else
 * Halide's own again. A buffer stays with the context in which it came to the device: free it in a thread
 * that has the same. An error where the program has no CUDA kernels. */
int eutectic_use_cuda(void *context, void *stream);

/** Why the last function of this header, or the last kernel made for several devices, failed in this thread:
 * one sentence; "" if it did not. Valid until the next such call in this thread. */
const char *eutectic_last_error(void);

#ifdef __cplusplus
}
#endif
