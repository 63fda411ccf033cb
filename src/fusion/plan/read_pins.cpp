// Pins as a person writes them.

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

#include <nlohmann/json.hpp>

#include "base/nearest.h"
#include "base/regex.h"
#include "base/user_error.h"
#include "fusion/plan/pins.h"

namespace eutectic {

namespace {

using nlohmann::ordered_json;
using Kind = Placement::Kind;

/** Reads one text. */
class Reading {
public:
    Reading(std::string source, const Graph &graph) : source_(std::move(source)), graph_(graph) {
    }

    Pins read(const std::string &text) {
        const ordered_json json = parse(text);
        pins_.source = source_;
        pins_.funcs.resize(graph_.funcs.size());
        for (const auto &[name, value] : json.items()) {
            if (name == "edges" && value.is_object() && !value.contains("at")) {
                for (const auto &[edge, what] : value.items()) {
                    read_edge(edge, what);
                }
            } else if (name == "loops" && value.is_object() && !value.contains("at")) {
                for (const auto &[root, seed] : value.items()) {
                    read_loops(root, seed);
                }
            } else {
                read_func(name, value);
            }
        }
        check();
        return pins_;
    }

private:
    std::string source_;
    const Graph &graph_;
    Pins pins_;

    [[noreturn]] void refuse(const std::string &what) const {
        throw UserError("The pins in " + source_ + " " + what);
    }

    /** A key that comes twice would silently count once. */
    ordered_json parse(const std::string &text) const {
        std::vector<std::set<std::string>> seen;
        std::string twice;
        const auto watch = [&](int, ordered_json::parse_event_t event, ordered_json &value) {
            if (event == ordered_json::parse_event_t::object_start) {
                seen.emplace_back();
            } else if (event == ordered_json::parse_event_t::object_end) {
                seen.pop_back();
            } else if (event == ordered_json::parse_event_t::key &&
                       !seen.back().insert(value.get<std::string>()).second) {
                twice = value.get<std::string>();
            }
            return true;
        };
        const ordered_json json = ordered_json::parse(text, watch, false);
        if (json.is_discarded() || !json.is_object()) {
            refuse("are no JSON object: write {\"NAME\": \"inline\"}, \"root\" or {\"at\": [\"CONSUMER\", "
                   "\"LOOP\"]}.");
        }
        if (!twice.empty()) {
            refuse("name " + twice + " twice, and one would overrule the other: leave one of them.");
        }
        return json;
    }

    FuncId find(const std::string &name) const {
        std::vector<std::string> known;
        std::vector<FuncId> alike;
        for (const FuncId f : graph_.funcs.ids()) {
            const std::string &full = graph_.funcs[f].name;
            if (full == name) {
                return f;
            }
            if (full.substr(0, full.find('$')) == name) {
                alike.push_back(f);
            }
            if (!graph_.funcs[f].input) {
                known.push_back(full);
            }
        }
        if (alike.size() == 1) {
            return alike.front();
        }
        if (alike.size() > 1) {
            refuse("name " + name + ", which may be " + graph_.funcs[alike[0]].name + " or " +
                   graph_.funcs[alike[1]].name + ": write the whole name.");
        }
        refuse("name " + name + ", which is no Func of this pipeline: " + nearest_or_all(name, known) + ".");
    }

    const FuncInfo &info(FuncId func) const {
        return graph_.funcs[func];
    }

    void read_func(const std::string &name, const ordered_json &value) {
        const FuncId func = find(name);
        if (info(func).input) {
            refuse("name " + name + ", which is an input, and is where the caller has it: leave it out.");
        }
        std::optional<Pin> &pin = pins_.funcs[func];
        if (pin) {
            refuse("name " + info(func).name +
                   " twice, and one would overrule the other: leave one of them.");
        }
        pin = Pin();
        if (value == "inline") {
            pin->kind = Kind::inlined;
        } else if (value.is_object() && value.size() == 1 && value.contains("at")) {
            read_loop(name, value["at"], *pin);
        } else if (value != "root") {
            refuse("say " + value.dump() + " of " + name +
                   ": write \"inline\", \"root\" or {\"at\": [\"CONSUMER\", \"LOOP\"]}.");
        }
    }

    void read_loop(const std::string &name, const ordered_json &at, Pin &pin) const {
        const bool texts =
            at.is_array() && !at.empty() && at.size() <= 2 &&
            std::all_of(at.begin(), at.end(), [](const ordered_json &t) { return t.is_string(); });
        if (!texts) {
            refuse(
                "say at " + at.dump() + " of " + name +
                ": write [\"CONSUMER\", \"LOOP\"], a Func that reads it and one of that Func's variables.");
        }
        pin.kind = Kind::at;
        pin.consumer = find(at[0]);
        if (info(pin.consumer).input) {
            refuse("put " + name + " into the loops of " + info(pin.consumer).name +
                   ", which is an input and has none: name a Func that reads " + name + ".");
        }
        if (info(pin.consumer).name == info(find(name)).name) {
            refuse("put " + name + " into its own loops: name a Func that reads it.");
        }
        if (at.size() == 1) {
            return;
        }
        const Dims &dims = graph_.pure_stage(pin.consumer).dims;
        std::string all;
        for (const DimId d : dims.ids()) {
            pin.loop = dims[d].name == at[1] ? d : pin.loop;
            all += (d > 0 ? ", " : "") + dims[d].name.str();
        }
        if (pin.loop < 0) {
            refuse("put " + name + " into the loop " + at[1].get<std::string>() + " of " +
                   info(pin.consumer).name + ", which has " + (all.empty() ? "none" : all) +
                   ": name one that it has.");
        }
    }

    void read_edge(const std::string &edge, const ordered_json &value) {
        Groups parts;
        if (!Regex("\\s*(\\S+?)\\s*(?:→|->)\\s*(\\S+)\\s*").matches(edge, &parts)) {
            refuse("name the edge \"" + edge + "\", which is none: write \"PRODUCER→READER\".");
        }
        const FuncId producer = find(parts[1]), reader = find(parts[2]);
        const std::vector<FuncId> readers = graph_.consumer_funcs(producer);
        if (std::find(readers.begin(), readers.end(), reader) == readers.end()) {
            refuse("name the edge " + edge + ", but " + info(reader).name + " does not read " +
                   info(producer).name + ": name a Func and one that reads it.");
        }
        if (info(producer).input) {
            refuse("name the edge " + edge +
                   ", whose producer is an input and always in memory: leave it out.");
        }
        if (value != "never fuse") {
            refuse("say " + value.dump() + " of the edge " + edge + ": write \"never fuse\".");
        }
        pins_.unfused.emplace_back(producer, reader);
    }

    void read_loops(const std::string &name, const ordered_json &seed) {
        const FuncId root = find(name);
        if (info(root).input) {
            refuse("ask for other loops of " + name + ", which is an input and has none: leave it out.");
        }
        if (!seed.is_number_unsigned()) {
            refuse("say " + seed.dump() + " of the loops of " + name +
                   ": write a whole number, the seed that eutectic tune has found.");
        }
        pins_.loops.emplace_back(root, seed.get<uint64_t>());
    }

    [[noreturn]] void contradiction(const std::string &a, const std::string &b,
                                    const std::string &why) const {
        refuse("contradict each other: " + a + ", and " + b + ", cannot both hold, because " + why +
               ": leave one of them out.");
    }

    /** What no schedule could do. */
    void check() const {
        for (const auto &[producer, reader] : pins_.unfused) {
            const std::optional<Pin> &pin = pins_.funcs[producer];
            if (pin && pin->kind != Kind::root) {
                contradiction(describe(graph_, pins_, producer),
                              "the pin of the edge " + info(producer).name + "→" + info(reader).name +
                                  ", never fuse",
                              "what never fuses is in memory as a whole");
            }
        }
        for (const FuncId func : pins_.funcs.ids()) {
            const std::optional<Pin> &pin = pins_.funcs[func];
            if (!pin || pin->kind != Kind::at) {
                continue;
            }
            const std::optional<Pin> &consumer = pins_.funcs[pin->consumer];
            if (consumer && consumer->kind == Kind::inlined) {
                contradiction(describe(graph_, pins_, func), describe(graph_, pins_, pin->consumer),
                              "what is inlined has no loops");
            }
            check_readers(func, *pin);
        }
    }

    /** Everything that reads `func` is inside the consumer's loops as well. */
    void check_readers(FuncId func, const Pin &pin) const {
        const Table<FuncId, bool> between = leads_to(pin.consumer);
        if (!between[func]) {
            refuse("put " + info(func).name + " into the loops of " + info(pin.consumer).name +
                   ", which does not read it: name a Func that does.");
        }
        std::vector<FuncId> left = graph_.consumer_funcs(func);
        Table<FuncId, bool> seen(graph_.funcs.size(), false);
        while (!left.empty()) {
            const FuncId reader = left.back();
            left.pop_back();
            if (reader == pin.consumer || seen[reader]) {
                continue;
            }
            seen[reader] = true;
            const std::string whole = describe(graph_, pins_, reader);
            const std::optional<Pin> &other = pins_.funcs[reader];
            if (!whole.empty() && (!other || other->kind == Kind::root)) {
                contradiction(describe(graph_, pins_, func), whole,
                              info(reader).name + " reads " + info(func).name +
                                  ", or something made of it, outside the loops of " +
                                  info(pin.consumer).name);
            }
            if (!between[reader]) {
                refuse("put " + info(func).name + " into the loops of " + info(pin.consumer).name + ", but " +
                       info(reader).name + " reads " + info(func).name +
                       " outside them: leave that pin out.");
            }
            if (!other || other->kind == Kind::inlined) {
                for (const FuncId next : graph_.consumer_funcs(reader)) {
                    left.push_back(next);
                }
            }
        }
    }

    /** Which Funcs are read for `consumer`, directly or not. */
    Table<FuncId, bool> leads_to(FuncId consumer) const {
        Table<FuncId, bool> leads(graph_.funcs.size(), false);
        std::vector<FuncId> left = {consumer};
        while (!left.empty()) {
            const FuncId f = left.back();
            left.pop_back();
            for (const StageId s : info(f).stages) {
                for (const EdgeId e : graph_.stages[s].edges) {
                    const FuncId producer = graph_.edges[e].producer;
                    if (!leads[producer]) {
                        leads[producer] = true;
                        left.push_back(producer);
                    }
                }
            }
        }
        return leads;
    }
};

}  // namespace

Pins parse_pins(const std::string &text, const std::string &source, const Graph &graph) {
    return Reading(source, graph).read(text);
}

Pins read_pins(const std::string &path, const Graph &graph) {
    if (path.empty()) {
        return {};
    }
    std::ifstream file(path);
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (!file) {
        throw UserError("The pin file " + path + " cannot be read: give the path of a JSON file.");
    }
    return parse_pins(text, path, graph);
}

}  // namespace eutectic
