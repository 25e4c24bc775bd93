# nlohmann-json: summaries (MIT).
find_package(nlohmann_json REQUIRED)
