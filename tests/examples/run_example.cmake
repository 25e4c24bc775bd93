# Runs one scene and judges its summary.json: cmake -DPLIANT=… -DSCENE=… -DRESULT=… [-DVERIFY=--verify] -P run_example.cmake
# One thread: ctest runs several tests at a time, and the result does not depend on the number of threads.
execute_process(COMMAND ${PLIANT} run ${SCENE} ${VERIFY} -o ${RESULT} --threads 1 RESULT_VARIABLE exit_code)
if(NOT exit_code EQUAL 0)
  message(FATAL_ERROR "pliant run ${SCENE} ${VERIFY} ended with exit code ${exit_code}")
endif()

file(READ ${RESULT}/summary.json summary)
string(JSON outcome GET "${summary}" outcome)
string(JSON not_converged GET "${summary}" solver steps_not_converged)
string(JSON steps GET "${summary}" steps)
if(NOT outcome STREQUAL "done" OR NOT steps GREATER 0)
  message(FATAL_ERROR "${SCENE}: outcome '${outcome}' after ${steps} steps")
endif()
if(NOT not_converged EQUAL 0)
  message(FATAL_ERROR "${SCENE}: ${not_converged} of ${steps} steps did not converge")
endif()

# An example that expects nothing checks nothing.
string(JSON expectations LENGTH "${summary}" expect)
if(expectations EQUAL 0)
  message(FATAL_ERROR "${SCENE} has no expectations")
endif()

string(JSON bodies LENGTH "${summary}" bodies)
math(EXPR last "${bodies} - 1")
foreach(index RANGE ${last})
  string(JSON name GET "${summary}" bodies ${index} name)
  string(JSON inverted GET "${summary}" bodies ${index} inverted_tets)
  if(NOT inverted EQUAL 0)
    message(FATAL_ERROR "${SCENE}: ${inverted} tets of body '${name}' are inside out at the end")
  endif()
endforeach()
