# cmake -DGENERATORS=PROGRAM -DGENERATOR=NAME -P EutecticUnregistered.cmake: what add_eutectic_library says where the program's run for the generator NAME, which
# Eutectic makes of another, has failed. It fails itself.
execute_process(COMMAND "${GENERATORS}" ERROR_VARIABLE listed OUTPUT_QUIET)
string(REGEX MATCH "^(.+)_(forward|backward|gradient|tangent|hvp|batched)$" derived "${GENERATOR}")
set(generator "${CMAKE_MATCH_1}")
if("${listed}" MATCHES "(^|\n)    ${generator}(\n|$)" AND NOT "${listed}" MATCHES "(^|\n)    ${GENERATOR}(\n|$)")
    # apps/eutectic/generator.cpp says the same.
    message(FATAL_ERROR "The generator ${generator} of ${GENERATORS} is not registered as differentiable, and ${GENERATOR} was asked for: register it with EUTECTIC_REGISTER_DIFFERENTIABLE(CLASS, ${generator}) of autodiff/register.h in place of HALIDE_REGISTER_GENERATOR, and link Eutectic::autodiff.")
endif()
message(FATAL_ERROR "The generator ${GENERATOR} of ${GENERATORS} failed: what it said is above.")
