// Writes, as the file that is named, a machine whose libraries are as fast as no library is.

#include "tests/library/library_machine.h"

int main(int argc, char **argv) {
    if (argc == 2) {
        eutectic::test::write_machine(argv[1], 2, 1e12, 1e-9);
    }
    return argc == 2 ? 0 : 2;
}
