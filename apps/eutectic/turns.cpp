#include "apps/eutectic/turns.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "base/process.h"
#include "base/user_error.h"

namespace eutectic {

namespace {

// Two bytes of the file, of which neither exists: who asks for the room holds the gate meanwhile.
constexpr off_t gate = 0, room = 1;

/** Waits, unless the user stops it. Locks of an open file, not of a process: threads and children have none
 * of their own. */
void lock(int file, off_t byte, short kind) {
    struct flock part = {};
    part.l_type = kind;
    part.l_whence = SEEK_SET;
    part.l_start = byte;
    part.l_len = 1;
    while (fcntl(file, F_OFD_SETLKW, &part) != 0 && !interrupted()) {
    }
}

}  // namespace

Turns::Turns(bool in_company) {
    if (!in_company) {
        return;
    }
    // It stays, empty, until the machine starts anew: whoever removed it would part those who hold it from
    // those who come.
    const std::string name = "/eutectic-tune-" + std::to_string(getuid());
    file_ = shm_open(name.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    if (file_ < 0) {
        throw UserError(
            "The file " + name +
            " by which processes of a search take turns cannot be made in /dev/shm: check that it "
            "is a folder and is writable.");
    }
}

Turns::~Turns() {
    if (file_ >= 0) {
        close(file_);
    }
}

Turn::Turn(const Turns &turns, Kind kind) : file_(turns.file_) {
    if (file_ >= 0) {
        lock(file_, gate, F_WRLCK);
        lock(file_, room, kind == alone ? F_WRLCK : F_RDLCK);
        lock(file_, gate, F_UNLCK);
    }
}

Turn::~Turn() {
    if (file_ >= 0) {
        lock(file_, room, F_UNLCK);
    }
}

}  // namespace eutectic
