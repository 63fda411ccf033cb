#include "autodiff/generator_files.h"

#include "autodiff/generator_batch.h"

#include "autodiff/contract/header.h"
#include "autodiff/contract/json.h"
#include "autodiff/contract/reordered.h"

#include "base/user_error.h"
#include "base/write_whole.h"

#include <fstream>
#include <map>

namespace eutectic {

namespace {

void write_report(const std::string &path, const ResidualReport &residuals) {
    std::ofstream file(path);
    file << residual_json(residuals);
    if (!file.flush()) {
        throw UserError("The residual report \"" + path +
                        "\" cannot be written; give residual_report a path in a folder that exists.");
    }
}

}  // namespace

bool GeneratorFiles::take(const std::string &name, const std::string &value) {
    const std::map<std::string, std::string *> paths = {{"residual_report", &report_},
                                                        {"residual_header", &header_},
                                                        {"residual_comment", &comment_},
                                                        {"backward_interface", &interface_},
                                                        {"pair_report", &pair_report_}};
    if (name == "pair_files") {
        pair_files_ = split_names(value);
        return true;
    }
    const auto path = paths.find(name);
    if (path != paths.end()) {
        *path->second = value;
    }
    return path != paths.end();
}

void GeneratorFiles::write(const Contract &contract, const ResidualReport &residuals, bool of_forward) const {
    if (!report_.empty()) {
        write_report(report_, residuals);
    }
    if (!header_.empty()) {
        write_whole("contract", header_, contract_header(contract, pair_of_path(header_, "_residuals.h")));
    }
    if (!comment_.empty()) {
        const std::string end = of_forward ? "_forward.h.txt" : "_backward.h.txt";
        write_whole("table of residuals", comment_, contract_comment(contract, pair_of_path(comment_, end)));
    }
    if (!interface_.empty()) {
        const std::string pair = pair_of_path(interface_, "_backward.h");
        write_whole("interface", interface_, reordered_header(contract, pair));
        write_whole("interface", interface_.substr(0, interface_.size() - 1) + "cpp",
                    reordered_source(contract, pair));
    }
    if (!pair_report_.empty()) {
        write_whole(
            "report", pair_report_,
            contract_json(contract, residuals, pair_of_path(pair_report_, ".report.json"), pair_files_));
    }
}

}  // namespace eutectic
