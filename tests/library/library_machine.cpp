#include "tests/library/library_machine.h"

#include <fstream>

#include "machine/calibration.h"

namespace eutectic::test {

void write_machine(const std::string &file, double peak_share, double bytes_per_second,
                   Seconds call_seconds) {
    Calibration calibration;
    calibration.machine = machine_from_target({"x86", 256, true}, 2);
    for (const Library library : libraries()) {
        calibration.libraries.push_back({library, peak_share, bytes_per_second, call_seconds});
    }
    std::ofstream(file) << to_json(calibration);
}

}  // namespace eutectic::test
