// Ends with 0 if the compiled kernel gives what it should, of squares: 4 i^2 + 8 i + 6.

#include "smooth.h"

#include <HalideBuffer.h>

int main() {
    const int points = 99;
    Halide::Runtime::Buffer<float, 1> x(points + 2), y(points);
    for (int i = 0; i < points + 2; i++) {
        x(i) = static_cast<float>(i * i);
    }
    int wrong = smooth(x, y);
    for (int i = 0; i < points; i++) {
        wrong += y(i) != static_cast<float>(4 * i * i + 8 * i + 6);
    }
    return wrong == 0 ? 0 : 1;
}
