# Runs one scene and judges its summary.json: cmake -DPLIANT=… -DSCENE=… -DRESULT=… [-DVERIFY=--verify] [-DALONE=1] -P run_example.cmake
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

# Who asks for the judge wants an answer: every step judged, nothing found. `alone`: there is no contact to be judged.
string(JSON judged GET "${summary}" contacts judged)
string(JSON intersections GET "${summary}" contacts intersections)
if(VERIFY AND NOT ALONE AND NOT (judged EQUAL steps AND intersections EQUAL 0))
  message(FATAL_ERROR "${SCENE}: ${judged} of ${steps} steps were judged, intersections: '${intersections}'")
endif()
if(ALONE AND NOT judged EQUAL 0)
  message(FATAL_ERROR "${SCENE} has contact; remove `alone` from its test")
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
