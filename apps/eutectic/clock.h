#pragma once

namespace eutectic {

/** Cycles a second that this thread runs at now: of a chain of additions, each of which takes a cycle on
 * every processor of the last decades. Takes some hundredths of a second; what others take of the core does
 * not count. */
double running_hertz();

}  // namespace eutectic
