#pragma once

#include <cstdint>
#include <string>

namespace eutectic {

/** Quantities carry their unit in their type's name. They are plain numbers: the arithmetic of a cost model
 * mixes them. */
using Bytes = int64_t;
using Seconds = double;

/** "512 B", "12.3 KiB", "1.50 MiB": three significant digits, binary prefixes. */
std::string format_bytes(Bytes bytes);

/** "850 ns", "12.3 us", "1.50 ms", "2.00 s": three significant digits. */
std::string format_seconds(Seconds seconds);

/** "1,234,567": groups of three digits. */
std::string format_count(int64_t count);

/** 64-bit FNV-1a of `text`, as 16 hexadecimal digits. Stable across machines and compilers: it names plans.
 *  Source: Fowler, Noll, Vo; offset basis and prime as in RFC 9923. */
std::string stable_hash(const std::string &text);

}  // namespace eutectic
