#include "apps/distributed/boundaries.h"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

namespace eutectic::distributed {

namespace {

using nlohmann::json;

/// Where each Func is computed: the position of its group among all, which come producers first.
struct Places {
    std::map<std::string, size_t> group_of;  // members, roots included
    std::vector<std::string> roots;

    explicit Places(const json &report) {
        for (const json &group : report.at("groups")) {
            for (const json &member : group.at("members")) {
                group_of[member.get<std::string>()] = roots.size();
            }
            group_of[group.at("root").get<std::string>()] = roots.size();
            roots.push_back(group.at("root").get<std::string>());
        }
    }
};

/// The last group that `gradient`'s reads from memory, or `none`.
size_t last_read(const json &report, const Places &places, size_t group, size_t none) {
    size_t last = none;
    for (const json &edge : report.at("edges")) {
        const auto consumer = places.group_of.find(edge.at("consumer").get<std::string>());
        const auto producer = places.group_of.find(edge.at("producer").get<std::string>());
        const bool read = consumer != places.group_of.end() && producer != places.group_of.end() &&
                          consumer->second == group && producer->second != group;
        if (read && (last == none || producer->second > last)) {
            last = producer->second;
        }
    }
    return last;
}

}  // namespace

std::vector<Bucket> communication_buckets(const json &report, const std::vector<std::string> &gradients) {
    const Places places(report);
    const size_t none = places.roots.size();
    const std::set<std::string> wanted(gradients.begin(), gradients.end());
    // −1, as it were, for `none`: these are first.
    std::map<size_t, Bucket> buckets;
    for (const std::string &gradient : gradients) {
        if (places.group_of.count(gradient) == 0) {
            throw std::runtime_error("the plan of the backward does not compute " + gradient);
        }
    }
    for (size_t group = 0; group < places.roots.size(); group++) {
        for (const auto &[func, its_group] : places.group_of) {
            if (its_group == group && wanted.count(func) != 0) {
                const size_t boundary = last_read(report, places, group, none);
                Bucket &bucket = buckets[boundary == none ? 0 : boundary + 1];
                bucket.boundary = boundary == none ? "" : places.roots[boundary];
                bucket.gradients.push_back(func);
            }
        }
    }
    std::vector<Bucket> ordered;
    for (auto &[place, bucket] : buckets) {
        ordered.push_back(std::move(bucket));
    }
    return ordered;
}

}  // namespace eutectic::distributed
