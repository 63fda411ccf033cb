// eutectic calibrate: apps/calibrate as a subcommand.

#include "apps/calibrate/calibrate.h"

#include <memory>

#include "apps/eutectic/commands.h"

namespace eutectic {

void add_calibrate(CLI::App &app, Run &run) {
    const auto options = std::make_shared<CalibrateOptions>();
    CLI::App *command = app.add_subcommand(
        "calibrate", "Measures this machine's rates for the cost model, in some 30 seconds.");
    add_calibrate_options(*command, *options);
    command->footer("examples:\n"
                    "  eutectic calibrate -o machine.json --plot roofline.svg\n"
                    "  eutectic calibrate --target x86-64-linux-avx2-fma --json\n"
                    "  then: eutectic explain dense.hlpipe --machine machine.json");
    command->callback([options, &run] {
        run = [options] {
            calibrate(*options);
            return 0;
        };
    });
}

}  // namespace eutectic
