#include "arena/heap.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <new>

namespace eutectic {

namespace {

/** Bytes. The smallest piece: what small kernels need is one mapping. */
constexpr size_t least_piece = size_t{1} << 20;

/** Pieces are at least this part of what is held, so that there are few of them and blocks find room
 * together. */
constexpr size_t growth_divisor = 4;

size_t page_bytes() {
    static const auto bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    return bytes;
}

size_t class_of(size_t bytes) {
    size_t power = 0;
    for (; bytes > 1; bytes /= 2) {
        power++;
    }
    return power;
}

void *map(size_t bytes) {
    void *start = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return start == MAP_FAILED ? nullptr : start;
}

void touch_pages(void *start, size_t bytes) {
    for (size_t b = 0; b < bytes; b += page_bytes()) {
        static_cast<volatile char *>(start)[b] = 0;
    }
}

}  // namespace

void Heap::insert(Block *block) {
    Block *&first = free_[class_of(block->bytes)];
    block->free = true;
    block->previous = nullptr;
    block->next = first;
    if (first) {
        first->previous = block;
    }
    first = block;
}

void Heap::remove(Block *block) {
    (block->previous ? block->previous->next : free_[class_of(block->bytes)]) = block->next;
    if (block->next) {
        block->next->previous = block->previous;
    }
    block->free = false;
}

Block *Heap::find(size_t bytes) const {
    Block *best = nullptr;
    for (size_t c = class_of(bytes); c < free_.size() && !best; c++) {
        for (Block *b = free_[c]; b; b = b->next) {
            best = b->bytes >= bytes && (!best || b->bytes < best->bytes) ? b : best;
        }
    }
    return best;
}

Block *Heap::take(size_t bytes) {
    Block *block = find(bytes);
    if (!block) {
        return nullptr;
    }
    remove(block);
    const size_t rest = block->bytes - bytes;
    if (rest > sizeof(Block)) {
        auto *other = new (static_cast<char *>(block->data()) + bytes) Block;
        other->owner = block->owner;
        other->bytes = rest - sizeof(Block);
        other->before = block;
        other->after = block->after;
        if (other->after) {
            other->after->before = other;
        }
        block->after = other;
        block->bytes = bytes;
        insert(other);
    }
    return block;
}

void Heap::absorb_next(Block *block) {
    const Block *other = block->after;
    block->bytes += sizeof(Block) + other->bytes;
    block->after = other->after;
    if (block->after) {
        block->after->before = block;
    }
}

void Heap::give(Block *block) {
    if (block->after && block->after->free) {
        remove(block->after);
        absorb_next(block);
    }
    if (block->before && block->before->free) {
        block = block->before;
        remove(block);
        absorb_next(block);
    }
    insert(block);
}

bool Heap::grow(size_t bytes, size_t limit, bool touch) {
    // In front the header, and beyond the end what may be read though it is nobody's.
    const size_t around = sizeof(Block) + block_alignment, page = page_bytes();
    if (bytes > limit || limit - bytes < around + page) {
        return false;
    }
    const size_t least = (bytes + around + page - 1) / page * page;
    if (held_ > limit || limit - held_ < least) {
        return false;
    }
    size_t piece = std::max({least, least_piece, held_ / growth_divisor / page * page});
    piece = std::min(piece, (limit - held_) / page * page);
    void *start = map(piece);
    if (!start && piece > least) {
        piece = least;
        start = map(piece);
    }
    if (!start) {
        return false;
    }
    if (touch) {
        touch_pages(start, piece);
    }
    auto *block = new (start) Block;
    block->piece_bytes = piece;
    block->bytes = piece - around;
    held_ += piece;
    insert(block);
    return true;
}

size_t Heap::release(size_t keep) {
    const size_t before = held_;
    for (size_t c = free_.size(); c-- > 0;) {
        for (Block *b = free_[c]; b && held_ > keep;) {
            Block *next = b->next;
            if (b->is_alone()) {
                remove(b);
                held_ -= b->piece_bytes;
                munmap(b, b->piece_bytes);
            }
            b = next;
        }
    }
    return before - held_;
}

}  // namespace eutectic
