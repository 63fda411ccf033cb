// Kernels made for cpu, opencl and cuda choose a device, say why they cannot, and leave their inputs alone.
// CMakeLists.txt runs each case where its driver is, is not, or is a fake.

#include <HalideBuffer.h>

#include <dlfcn.h>
#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "device/device.h"
#include "device_layer.h"
#include "device_layer_cpu_only.h"
#include "device_mlp.h"
#include "device_pair_residuals.h"

namespace {

using Floats = Halide::Runtime::Buffer<float>;

constexpr int batch = 5, inputs = 7, outputs = 9;

struct Layer {
    Floats x{inputs, batch}, w{outputs, inputs}, b{outputs}, y{outputs, batch};

    Layer() {
        x.for_each_element(
            [&](int i, int j) { x(i, j) = 0.25f * static_cast<float>((3 * i + 5 * j) % 7 - 3); });
        w.for_each_element(
            [&](int i, int j) { w(i, j) = 0.5f * static_cast<float>((2 * i + 3 * j) % 5 - 2); });
        b.for_each_element([&](int i) { b(i) = static_cast<float>(i % 3 - 1); });
        y.fill(-1);
        for (Floats *f : {&x, &w, &b, &y}) {
            f->set_host_dirty();
        }
    }
    int run() {
        const int code = device_layer(x, w, b, y);
        if (code == 0) {
            CHECK(std::string(eutectic_last_error()).empty());
            REQUIRE(y.copy_to_host() == 0);
        }
        return code;
    }
    float expected(int o, int s) const {
        float sum = 0;
        for (int k = 0; k < inputs; k++) {
            sum += x(k, s) * w(o, k);
        }
        return std::max(sum + b(o), 0.0f);
    }
    void check_result() {
        y.for_each_element([&](int o, int s) { CHECK(y(o, s) == doctest::Approx(expected(o, s))); });
    }
    void check_untouched() {
        const Layer fresh;
        x.for_each_element([&](int i, int j) { REQUIRE(x(i, j) == fresh.x(i, j)); });
        w.for_each_element([&](int i, int j) { REQUIRE(w(i, j) == fresh.w(i, j)); });
        CHECK(x.host_dirty());
        CHECK(!x.device_dirty());
    }
};

bool says(const std::string &text) {
    const std::string said = eutectic_last_error();
    const bool found = said.find(text) != std::string::npos;
    if (!found) {
        MESSAGE("the last error is: " << said);
    }
    return found;
}

template<typename T>
T &fake(const char *name) {
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY);
    REQUIRE(driver);
    void *symbol = dlsym(driver, name);
    REQUIRE(symbol);
    return *static_cast<T *>(symbol);
}

}  // namespace

TEST_CASE("without drivers the cpu runs, and says what is missing when another device is asked for") {
    CHECK(eutectic_usable_devices() == eutectic_cpu);
    Layer layer;
    REQUIRE(layer.run() == 0);
    layer.check_result();
    CHECK(eutectic_device_for(eutectic_cpu | eutectic_cuda, 75) == eutectic_cpu);

    CHECK(eutectic_use_device("cuda") < 0);
    CHECK(says("eutectic_use_device() was given \"cuda\", and there is no CUDA driver ("));
    CHECK(eutectic_use_device("opencl") < 0);
    CHECK(says("OpenCL"));
    CHECK(eutectic_use_device("tpu") < 0);
    CHECK(says("eutectic_use_device() was given \"tpu\", and the devices are cpu, cuda, opencl and auto; "
               "name one of them."));
    CHECK(layer.run() == 0);  // what was refused changed nothing

    CHECK(eutectic_device_for(eutectic_cuda, 75) < 0);
    CHECK(says(
        "The kernel was made for cuda, and none of it can be used here (cuda: there is no CUDA driver ("));

    setenv("EUTECTIC_DEVICE", "cuda", 1);
    CHECK(layer.run() < 0);
    CHECK(says("device_layer was asked to run on cuda (by EUTECTIC_DEVICE), and there is no CUDA driver ("));
    layer.check_untouched();
    setenv("EUTECTIC_DEVICE", "gpu", 1);
    CHECK(layer.run() < 0);
    CHECK(says("EUTECTIC_DEVICE is \"gpu\", and the devices are cpu, cuda, opencl and auto; set it to one of "
               "them or unset it."));
    setenv("EUTECTIC_DEVICE", "cpu", 1);
    CHECK(layer.run() == 0);
    unsetenv("EUTECTIC_DEVICE");
}

TEST_CASE("a mistake of the caller's is a sentence and a code, not the end of the program") {
    Layer layer;
    Floats narrow(outputs - 1, inputs);
    REQUIRE(eutectic_use_device("cpu") == 0);
    CHECK(device_layer(layer.x, narrow, layer.b, layer.y) < 0);
    CHECK(says("device_layer failed: "));
    CHECK(says("w"));
    CHECK(device_layer(nullptr, layer.w, layer.b, layer.y) == halide_error_code_buffer_argument_is_null);
    CHECK(layer.run() == 0);
    REQUIRE(eutectic_use_device(nullptr) == 0);
}

TEST_CASE("the function by arguments and the description go by the kernel's name") {
    CHECK(std::string(device_layer_metadata()->name) == "device_layer");
    CHECK(device_layer_metadata()->num_arguments == 4);
    Layer layer;
    void *arguments[] = {layer.x.raw_buffer(), layer.w.raw_buffer(), layer.b.raw_buffer(),
                         layer.y.raw_buffer()};
    REQUIRE(device_layer_argv(arguments) == 0);
    REQUIRE(layer.y.copy_to_host() == 0);
    layer.check_result();
    // One that was made for the CPU alone, in the same program and with the same runtime.
    layer.y.fill(-1);
    REQUIRE(device_layer_cpu_only(layer.x, layer.w, layer.b, layer.y) == 0);
    layer.check_result();
}

TEST_CASE("with OpenCL on a CPU the cpu kernel runs, and OpenCL's when it is asked for") {
    if (!(eutectic_usable_devices() & eutectic_opencl)) {
        std::puts("Skipped: there is no OpenCL device here.");
        return;
    }
    Layer layer;
    if (eutectic_device_for(eutectic_cpu | eutectic_opencl, 0) == eutectic_cpu) {
        CHECK(eutectic_device_for(eutectic_opencl, 0) == eutectic_opencl);  // the only one there is
        REQUIRE(layer.run() == 0);
        layer.check_result();
        CHECK(!layer.x.has_device_allocation());
    }
    REQUIRE(eutectic_use_device("opencl") == 0);
    CHECK(eutectic_device_for(eutectic_cpu | eutectic_opencl, 0) == eutectic_opencl);
    REQUIRE(layer.run() == 0);
    CHECK(layer.x.has_device_allocation());
    layer.check_result();

    // A kernel that was not made for it.
    CHECK(eutectic_device_for(eutectic_cpu, 0) < 0);
    CHECK(says("The kernel was asked to run on opencl (by eutectic_use_device()), and was made for cpu; add "
               "host-opencl to its TARGETS or choose one of these."));

    // Forced back, in the same process, with buffers that are on the device.
    layer.x(0, 0) = 2;
    layer.x.set_host_dirty();
    REQUIRE(eutectic_use_device("cpu") == 0);
    REQUIRE(layer.run() == 0);
    layer.check_result();
    REQUIRE(eutectic_use_device("opencl") == 0);
    layer.x(1, 1) = -2;
    layer.x.set_host_dirty();
    REQUIRE(layer.run() == 0);
    layer.check_result();
    REQUIRE(eutectic_use_device("auto") == 0);
}

TEST_CASE("a pair keeps its residuals where it runs") {
    const char *names[] = {"cpu", "opencl"};
    Floats d_w[2] = {{outputs, inputs}, {outputs, inputs}}, d_b[2] = {Floats{outputs}, Floats{outputs}};
    for (int i = 0; i < 2; i++) {
        if (eutectic_use_device(names[i]) != 0) {
            std::puts("Skipped: there is no OpenCL device here.");
            return;
        }
        Layer layer;
        device_pair_residuals kept;
        REQUIRE(kept.allocate({layer.x, layer.w, layer.b}, {layer.y}) == 0);
        REQUIRE(kept.forward({layer.x, layer.w, layer.b}, {layer.y}) == 0);
        Floats d_y(outputs, batch);
        d_y.for_each_element(
            [&](int o, int s) { d_y(o, s) = 0.5f * static_cast<float>((o + 2 * s) % 5 - 2); });
        d_y.set_host_dirty();
        REQUIRE(kept.backward({layer.x, layer.w, layer.b}, {layer.y}, {d_y}, {d_w[i], d_b[i]}) == 0);
        REQUIRE(d_w[i].copy_to_host() == 0);
        REQUIRE(d_b[i].copy_to_host() == 0);
        REQUIRE(layer.y.copy_to_host() == 0);
        layer.check_result();
    }
    d_w[0].for_each_element([&](int o, int k) { CHECK(d_w[0](o, k) == doctest::Approx(d_w[1](o, k))); });
    d_b[0].for_each_element([&](int o) { CHECK(d_b[0](o) == doctest::Approx(d_b[1](o))); });
    REQUIRE(eutectic_use_device("auto") == 0);
}

TEST_CASE("a driver with a device: unasked, in the caller's context and stream") {
    CHECK((eutectic_usable_devices() & eutectic_cuda) != 0);
    Layer layer;
    REQUIRE(layer.run() == 0);
    int &launches = fake<int>("fake_cuda_launches"), &contexts = fake<int>("fake_cuda_contexts");
    void *&in = fake<void *>("fake_cuda_launched_in"), *&on = fake<void *>("fake_cuda_launched_on");
    CHECK(launches == 1);
    CHECK(contexts == 1);
    CHECK(on == nullptr);
    void *const halides = in;
    REQUIRE(layer.x.device_free() == 0);
    REQUIRE(layer.w.device_free() == 0);
    REQUIRE(layer.b.device_free() == 0);
    REQUIRE(layer.y.device_free() == 0);

    int context = 0, stream = 0;
    REQUIRE(eutectic_use_cuda(&context, &stream) == 0);
    {
        Layer other;
        REQUIRE(other.run() == 0);
        CHECK(launches == 2);
        CHECK(contexts == 1);
        CHECK(in == &context);
        CHECK(on == &stream);
        // Another thread has what it had.
        std::thread([&] {
            Layer third;
            CHECK(third.run() == 0);
            CHECK(in == halides);
            CHECK(on == nullptr);
            for (Floats *f : {&third.x, &third.w, &third.b, &third.y}) {
                CHECK(f->device_free() == 0);
            }
        }).join();
        CHECK(other.y.device_free() == 0);
        for (Floats *f : {&other.x, &other.w, &other.b}) {
            CHECK(f->device_free() == 0);
        }
    }
    REQUIRE(eutectic_use_cuda(nullptr, nullptr) == 0);
    Layer last;
    REQUIRE(last.run() == 0);
    CHECK(in == halides);
    CHECK(eutectic_use_cuda(nullptr, &stream) < 0);
    CHECK(says("eutectic_use_cuda() was given a stream without its context, and no CUDA context is current "
               "in this thread; give the stream's context."));
}

TEST_CASE("what is between kernels stays on the device, in memory that is used again") {
    Floats x(8, 16), logits(4, 16);
    const int sizes[] = {8, 16, 8, 4};
    std::vector<Floats> parameters;
    for (int layer = 0; layer < 3; layer++) {
        parameters.emplace_back(sizes[layer + 1], sizes[layer]);
        parameters.emplace_back(sizes[layer + 1]);
    }
    x.fill(1);
    x.set_host_dirty();
    for (Floats &p : parameters) {
        p.fill(0.5f);
        p.set_host_dirty();
    }
    int &launches = fake<int>("fake_cuda_launches"), &allocations = fake<int>("fake_cuda_allocations"),
        &copies = fake<int>("fake_cuda_copies");
    const auto run = [&] {
        REQUIRE(device_mlp(x, parameters[0], parameters[1], parameters[2], parameters[3], parameters[4],
                           parameters[5], logits) == 0);
    };
    run();
    const int kernels = launches, allocated = allocations, copied = copies;
    CHECK(kernels > 1);
    CHECK(allocated > 8);  // its arguments, and what is between its kernels
    CHECK(copied == 7);    // its inputs
    run();
    CHECK(launches == 2 * kernels);
    CHECK(allocations == allocated);
    CHECK(copies == copied);
    REQUIRE(logits.copy_to_host() == 0);
    CHECK(copies == copied + 1);
}

TEST_CASE("a device without memory") {
    Layer layer;
    CHECK(layer.run() == halide_error_code_device_malloc_failed);
    CHECK(says("device_layer ran out of memory on cuda ("));
    CHECK(says("CUDA_ERROR_OUT_OF_MEMORY"));
    layer.check_untouched();
    REQUIRE(eutectic_use_device("cpu") == 0);
    REQUIRE(layer.run() == 0);
    layer.check_result();
}

TEST_CASE("a driver that takes none of the code") {
    Layer layer;
    CHECK(layer.run() < 0);
    CHECK(says("device_layer has no code that this device takes on cuda ("));
    layer.check_untouched();
    REQUIRE(eutectic_use_device("cpu") == 0);
    REQUIRE(layer.run() == 0);
    layer.check_result();
}

TEST_CASE("a device that is older than the code is passed over") {
    CHECK((eutectic_usable_devices() & eutectic_cuda) != 0);
    Layer layer;
    REQUIRE(layer.run() == 0);
    layer.check_result();
    REQUIRE(eutectic_use_device("cuda") == 0);
    CHECK(layer.run() < 0);
    CHECK(says(
        "device_layer was asked to run on cuda (by eutectic_use_device()), and its code is for compute "
        "capability 7.5 and this device has 5.2; choose another device, or none, so that one is found."));
    layer.check_untouched();
}
