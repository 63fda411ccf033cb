/* Rows of numbers, normalized by the kernel of normalize.cpp, and by loops that check it. C99; nothing of
 * Halide's compiler is linked.
 *
 * usage: rows [ROWS COLUMNS] */

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <HalideRuntime.h>

#include "normalize.h"

static const float epsilon = 1e-5f;

/* Without it, an error of a kernel ends the process. With it, the kernel returns what went wrong. */
static void say(void *context, const char *sentence) {
    (void)context;
    fprintf(stderr, "rows: %s\n", sentence);
}

/* 1 to 16384; 0 for all else. */
static int size_of(const char *text) {
    char *end = NULL;
    errno = 0;
    const long value = strtol(text, &end, 10);
    return errno == 0 && end != text && *end == '\0' && value >= 1 && value <= 16384 ? (int)value : 0;
}

/* Halide's view of rows that lie one after the other; the innermost dimension comes first. */
static halide_buffer_t view(float *data, halide_dimension_t dimensions[2], int rows, int columns) {
    const halide_dimension_t along = {0, columns, 1, 0}, across = {0, rows, columns, 0};
    const struct halide_type_t float32 = {halide_type_float, 32, 1};
    halide_buffer_t buffer = {0};
    dimensions[0] = along;
    dimensions[1] = across;
    buffer.host = (uint8_t *)data;
    buffer.type = float32;
    buffer.dimensions = 2;
    buffer.dim = dimensions;
    return buffer;
}

/* The largest difference to what plain loops make of x. */
static double largest_error(const float *x, const float *y, int rows, int columns) {
    double largest = 0;
    for (int i = 0; i < rows; i++) {
        const float *from = x + (size_t)i * (size_t)columns, *to = y + (size_t)i * (size_t)columns;
        double mean = 0, variance = 0;
        for (int j = 0; j < columns; j++) {
            mean += (double)from[j] / columns;
        }
        for (int j = 0; j < columns; j++) {
            variance += (from[j] - mean) * (from[j] - mean) / columns;
        }
        for (int j = 0; j < columns; j++) {
            const double error = fabs(to[j] - (from[j] - mean) / sqrt(variance + epsilon));
            /* Said this way round, it holds for NaN, too. */
            largest = error <= largest ? largest : error;
        }
    }
    return largest;
}

static int run(float *x, float *y, int rows, int columns) {
    halide_dimension_t x_dimensions[2], y_dimensions[2];
    halide_buffer_t x_view = view(x, x_dimensions, rows, columns),
                    y_view = view(y, y_dimensions, rows, columns);
    unsigned state = 1;
    for (size_t k = 0; k < (size_t)rows * (size_t)columns; k++) {
        state = state * 1664525u + 1013904223u;
        x[k] = 5 + (float)(state >> 8) / 16777216;
    }
    if (normalize(&x_view, epsilon, &y_view) != 0) {
        return 2;
    }
    const double error = largest_error(x, y, rows, columns);
    if (!(error < 1e-3)) {
        fprintf(stderr, "rows: the kernel is %g off what plain loops say.\n", error);
        return 1;
    }
    printf("%d rows of %d columns normalized, at most %.1e off what plain loops say\n", rows, columns, error);
    return 0;
}

int main(int argc, char **argv) {
    const int rows = argc == 3 ? size_of(argv[1]) : 512, columns = argc == 3 ? size_of(argv[2]) : 1024;
    if ((argc != 1 && argc != 3) || rows == 0 || columns == 0) {
        fprintf(stderr, "usage: rows [ROWS COLUMNS], each from 1 to 16384\n");
        return 2;
    }
    halide_set_error_handler(say);
    float *x = malloc(sizeof(float) * (size_t)rows * (size_t)columns);
    float *y = malloc(sizeof(float) * (size_t)rows * (size_t)columns);
    int status = 2;
    if (x == NULL || y == NULL) {
        fprintf(stderr, "rows: there is no memory for %d rows of %d columns; ask for fewer.\n", rows,
                columns);
    } else {
        status = run(x, y, rows, columns);
    }
    free(x);
    free(y);
    return status;
}
