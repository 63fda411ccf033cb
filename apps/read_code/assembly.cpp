#include "apps/read_code/assembly.h"
#include "base/regex.h"

#include <optional>
#include <set>

namespace eutectic {

namespace {

/** What the lines at the head of a block say. */
struct Block {
    std::string label, name;
    std::string header;  ///< of the innermost loop that it is in; empty: none
    std::string parent;  ///< it begins a loop: the one around
    bool begins = false;

    /** Halide calls such blocks so: they run where a check fails, and then nothing else does. */
    bool fails() const {
        return name.rfind("assert failed", 0) == 0;
    }
};

/** Goes through the lines once. LLVM begins a block with a label, or with "%bb.N:" in a comment where nothing
 * jumps to it; then follow the block's name in the IR and, each in a comment, what loop it is in. */
class Reader {
public:
    Assembly assembly;

    void read(size_t number, const std::string &line) {
        static const Regex type(R"re(^\s*\.type\s+"?([^",]+)"?,\s*[@%]function)re"),
            label(R"re(^"?([^\s"#:]+)"?:)re"), block(R"re(^\.L(BB\d+_\d+):)re"),
            unlabelled(R"re(^\s*(?:#|//|@|;)\s*%bb\.\d+:)re"), ends(R"re(^\.Lfunc_end\d+:)re");
        Groups m;
        if (type.found_in(line, &m)) {
            functions_.insert(m[1]);
        } else if (ends.found_in(line)) {
            function_.clear();
        } else if (block.found_in(line, &m) || unlabelled.found_in(line)) {
            settle();
            head_ = Block();
            head_->label = m.size() > 1 ? m[1] : "";
            read_comments(line);
        } else if (label.found_in(line, &m)) {
            if (functions_.count(m[1]) > 0) {
                settle();
                function_ = m[1];
                outside_ = current_ = add({function_, "", 0, "", "", false, {}});
                skipped_ = false;
            }
        } else if (!function_.empty()) {
            read_comments(line);
            instruction(number, line);
        }
    }

    void finish() {
        settle();
        std::set<std::string> around;
        for (const AssemblyRegion &r : assembly.regions) {
            around.insert(r.parent);
        }
        for (AssemblyRegion &r : assembly.regions) {
            r.innermost = !r.label.empty() && around.count(r.label) == 0;
        }
    }

private:
    std::set<std::string> functions_;
    std::string function_;
    std::map<std::string, size_t> loops_;  // region by label
    size_t outside_ = 0, current_ = 0;
    bool skipped_ = false;
    std::optional<Block> head_;

    size_t add(const AssemblyRegion &region) {
        assembly.regions.push_back(region);
        return assembly.regions.size() - 1;
    }

    void read_comments(const std::string &line) {
        static const Regex name(R"re((?:#|//|@|;)\s*%(?:"([^"]+)"|(?!bb\.)([^\s":]+))\s*$)re"),
            begins(R"re(=>\s*This (?:Inner )?Loop Header: Depth=\d+)re"),
            parent(R"re(Parent Loop (BB\d+_\d+) Depth=\d+)re"),
            member(R"re(in Loop: Header=(BB\d+_\d+) Depth=\d+)re");
        if (!head_) {
            return;
        }
        Groups m;
        if (name.found_in(line, &m)) {
            head_->name = m[1].empty() ? m[2] : m[1];
        }
        head_->begins = head_->begins || begins.found_in(line);
        if (parent.found_in(line, &m)) {
            head_->parent = m[1];
        }
        if (member.found_in(line, &m)) {
            head_->header = m[1];
        }
    }

    /** The head is read: what follows is in its loop. */
    void settle() {
        if (!head_) {
            return;
        }
        static const Regex loop(R"re(^(\d+)_for_(.*?)((\.us|\.split)\d*|\.i\d*)*$)re");
        const std::string in = head_->begins ? head_->label : head_->header;
        current_ = in.empty() ? outside_ : loop_region(in);
        skipped_ = head_->fails();
        Groups m;
        if (head_->begins) {
            AssemblyRegion &r = assembly.regions[current_];
            r.parent = head_->parent;
            if (loop.matches(head_->name, &m)) {
                r.loop = std::stoi(m[1]);
                r.name = m[2];
            }
        }
        head_.reset();
    }

    /** Blocks of a loop may stand before its first one. */
    size_t loop_region(const std::string &label) {
        const auto known = loops_.find(label);
        if (known != loops_.end()) {
            return known->second;
        }
        return loops_[label] = add({function_, label, 0, "", "", false, {}});
    }

    void instruction(size_t number, const std::string &line) {
        static const Regex mnemonic(R"re(^\s+[A-Za-z])re"), empty(R"re(^\s*(?:#|//|@|;|$))re"),
            spill(R"re((?:#|//|@|;)\s*(\d+)-byte (?:Folded )?(Spill|Reload))re"),
            unknown_spill(R"re((?:#|//|@|;).*(?:Folded )(Spill|Reload))re");
        if (!mnemonic.found_in(line) || empty.found_in(line)) {
            return;
        }
        settle();
        if (skipped_) {
            return;
        }
        assembly.regions[current_].lines.push_back(number);
        Groups m;
        if (spill.found_in(line, &m)) {
            Spill &s = assembly.spills[number];
            s.bytes = std::stoi(m[1]);
            (m[2] == "Spill" ? s.store : s.load) = true;
        } else if (unknown_spill.found_in(line, &m)) {
            (m[1] == "Spill" ? assembly.spills[number].store : assembly.spills[number].load) = true;
        }
    }
};

}  // namespace

Assembly read_assembly(const std::vector<std::string> &lines) {
    Reader reader;
    for (size_t number = 0; number < lines.size(); number++) {
        reader.read(number, lines[number]);
    }
    reader.finish();
    return reader.assembly;
}

}  // namespace eutectic
