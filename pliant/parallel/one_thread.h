// Work of a library that starts oneTBB loops of its own, kept to the calling thread.
//
//   run_on_one_thread([&] { rtcCommitScene(scene); });   // the same tree for any number of threads
//
// For libraries whose result depends on who computes what. Our own loops inside keep to the thread too.
#pragma once

#include "pliant/parallel/parallel.h"

namespace pliant {

// Returns when the work is done; throws what it has thrown.
void run_on_one_thread(parallel::FunctionRef<void()> work);

}  // namespace pliant
