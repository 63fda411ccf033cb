#pragma once

#include "schedules/manual/schedule.h"

namespace eutectic::manual {

/// `inside` in `vectors` registers at a time.
void vectorize_by(Halide::Stage stage, const Halide::VarOrRVar &inside, int vectors);

/// A tensor of one dimension, `task` elements a task.
void schedule_flat(Halide::Func y, const Tuning &tuning, int task_elements);

/// A tensor of rows, some of them a task.
void schedule_matrix(Halide::Func y, const Tuning &tuning, int task_rows);

}  // namespace eutectic::manual
