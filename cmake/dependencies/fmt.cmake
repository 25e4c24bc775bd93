# fmt: text (MIT).
find_package(fmt REQUIRED)
