#include "pliant/parallel/background.h"

#include <utility>

#include "pliant/parallel/parallel.h"

namespace pliant {

BackgroundTask::BackgroundTask(std::function<void()> work)
    : done_(std::async(std::launch::async, [work = std::move(work)] {
        const parallel::AloneOnThread alone;
        work();
      })) {}

BackgroundTask::~BackgroundTask() {
  if (done_.valid()) done_.wait();
}

void BackgroundTask::wait() {
  if (done_.valid()) done_.get();
}

}  // namespace pliant
