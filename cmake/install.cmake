# After `cmake --install`, another project writes find_package(Pliant) and links pliant::core.
include(CMakePackageConfigHelpers)
get_property(modules GLOBAL PROPERTY PLIANT_MODULES)
install(TARGETS pliant_flags ${modules} EXPORT PliantTargets ARCHIVE DESTINATION lib)
install(DIRECTORY pliant DESTINATION include FILES_MATCHING PATTERN "*.h")
install(EXPORT PliantTargets NAMESPACE pliant:: DESTINATION lib/cmake/Pliant)
configure_package_config_file(cmake/PliantConfig.cmake.in ${PROJECT_BINARY_DIR}/PliantConfig.cmake INSTALL_DESTINATION lib/cmake/Pliant)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/PliantConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/PliantConfig.cmake ${PROJECT_BINARY_DIR}/PliantConfigVersion.cmake DESTINATION lib/cmake/Pliant)
