# PLIANT_PAGE_FILE: the viewer's page as one HTML file, compiled into pliant/viewer/page.cpp. It takes Node.js to build it, none to use it.
find_program(PLIANT_NPM npm)
file(GLOB_RECURSE page_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/apps/viewer/page/src/*)
if(PLIANT_BUILD_APPS AND PLIANT_NPM AND page_sources)
  set(PLIANT_PAGE_FILE ${PROJECT_BINARY_DIR}/viewer_page.html)
  set(page ${PROJECT_SOURCE_DIR}/apps/viewer/page)
  add_custom_command(OUTPUT ${PLIANT_PAGE_FILE}
    COMMAND ${PROJECT_SOURCE_DIR}/tools/build_page ${page} ${PROJECT_BINARY_DIR}/page ${PLIANT_PAGE_FILE}
    DEPENDS ${page_sources} ${page}/index.html ${page}/package-lock.json ${page}/vite.config.ts ${PROJECT_SOURCE_DIR}/tools/build_page
    COMMENT "Building the viewer's page" VERBATIM)
else()
  set(PLIANT_PAGE_FILE ${PROJECT_SOURCE_DIR}/apps/viewer/no_page.html)
endif()
set_source_files_properties(${PROJECT_SOURCE_DIR}/pliant/viewer/page.cpp PROPERTIES
  COMPILE_DEFINITIONS PLIANT_PAGE_FILE="${PLIANT_PAGE_FILE}" OBJECT_DEPENDS ${PLIANT_PAGE_FILE})
