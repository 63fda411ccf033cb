#pragma once

// What ranks of a tuning run tell each other, as JSON: every member, by its name.

#include <nlohmann/json.hpp>

#include "apps/eutectic/trials.h"
#include "apps/eutectic/tune_database.h"

namespace eutectic {

nlohmann::json pack(const Trial &trial);
nlohmann::json pack(const TuneSubject &subject);
nlohmann::json pack(const Tuned &tuned);

Trial unpack_trial(const nlohmann::json &message);
TuneSubject unpack_subject(const nlohmann::json &message);
Tuned unpack_tuned(const nlohmann::json &message);

}  // namespace eutectic
