#if DEBUG
  import Dispatch
  import FluxCapacitor

  extension ScheduleRun {
    func start(_ body: Scenario.Body, named name: String?) throws {
      switch body {
      case .thread(let body):
        try body()
      case .task(let body):
        openTasks += 1
        nextTaskName = name
        // No code cancels this task. If the task doesn't end, the schedule fails.
        Task {
          do { try await body() } catch { fail("a task", throwing: error) }
          openTasks -= 1
        }
      }
    }

    /// Returns the name of a job's task in the report.
    func name(of job: UnownedJob) -> String {
      guard recording != nil else { return "" }
      let (new, id) = (nextTaskName.take(), "\(job)")
      let name = taskNames[id] ?? new ?? newTaskName()
      taskNames[id] = name
      return name
    }

    private func newTaskName() -> String {
      var number = taskNames.count + 1
      let names = givenNames.union(taskNames.values)
      while names.contains("task \(number)") { number += 1 }
      return "task \(number)"
    }

    /// Adds a thread for a block or a job that another thread has enqueued.
    func add(
      byThread sender: ScenarioThread,
      named name: String,
      isJob: Bool,
      to queue: DispatchQueue? = nil,
      _ body: @escaping @Sendable () -> Void
    ) {
      // Each access to `DispatchQueue.main` can return a different object.
      let queue = queue?.label == ScheduleRun.main.label ? ScheduleRun.main : queue
      if let queue {
        let address = UInt(bitPattern: Unmanaged.passUnretained(queue).toOpaque())
        sender.text = isJob ? "enqueues \(name)" : "sends a block to \(name)"
        _ = reach(.write(address), on: sender)
      }
      if isJob { noteOrder(of: sender) }
      sender.children &+= 1
      births &+= 1
      let role = ScenarioThread.Role(name: name, queue: queue, birth: births, isJob: isJob)
      add(role, history: (sender.history &+ 7 &+ sender.children).mixed, body: body)
    }

    /// Makes the order of enqueued jobs a part of the histories, because this order decides which jobs
    /// count as overtaking.
    private func noteOrder(of sender: ScenarioThread) {
      histories &-= sender.history
      _ = memory.perform(.write(3), by: sender)
      histories &+= sender.history
    }

    func add(
      _ role: ScenarioThread.Role,
      history: UInt64,
      body: @escaping @Sendable () throws -> Void
    ) {
      // A new thread reuses the number of a finished job or block, so a task can have any number of jobs.
      let place = role.birth == 0 ? nil : threads.firstIndex { $0.hasEnded && $0.role.birth > 0 }
      let number = (place ?? threads.count) + 1
      guard number <= 64 else { return fail("there are more than 64 threads at a time.") }
      let thread = ScenarioThread(number, of: self, as: role, history: history, body: body)
      if let place { threads[place] = thread } else { threads.append(thread) }
      histories &+= history
    }

    /// Lets other threads continue first if the exploration chooses them, and then performs a thread's
    /// step.
    func reach(_ step: ScheduledStep, on thread: ScenarioThread) -> Bool {
      if case .unlocked(let lock) = step { memory.unlock(lock, by: thread) }
      thread.step = step
      if isRecording {
        thread.calls = CallStack()
        if step == .interleavingPoint { thread.text = "reaches an interleaving point" }
      }
      if step == .yield, !thread.isUninterrupted {
        yield(thread)
        if thread.yieldsTo == 0 { return false }
      }
      guard let next = choose(after: thread) else {
        finish()
        thread.waitForEver()
      }
      if next !== thread {
        next.resume()
        thread.wait()
      }
      return perform(step, on: thread)
    }

    func begin(_ thread: ScenarioThread) {
      perform(nil, on: thread)
    }

    func end(_ thread: ScenarioThread) {
      thread.hasEnded = true
      if let next = choose(after: nil) { next.resume() } else { finish() }
    }

    @discardableResult
    func perform(_ step: ScheduledStep?, on thread: ScenarioThread) -> Bool {
      trace.append(thread.number)
      if isRecording {
        recording?.append(.step(step, thread.text), by: thread, thread.calls ?? CallStack())
      }
      thread.text = nil
      if isAnyoneYielding { noteStep(of: thread) }
      histories &-= thread.history
      let isDone = memory.perform(step, by: thread)
      histories &+= thread.history
      exploration.random?.note(step, by: thread)
      if exploration.isReduced { note(thread) }
      return isDone
    }

    /// Makes a thread wait until each of the threads that can continue now has taken a step.
    private func yield(_ thread: ScenarioThread) {
      isAnyoneYielding = true
      for other in threads where other !== thread && canGoOn(other) { thread.yieldsTo |= other.bit }
    }

    func noteStep(of thread: ScenarioThread) {
      isAnyoneYielding = false
      for other in threads {
        other.yieldsTo &= ~thread.bit
        if other.yieldsTo != 0 { isAnyoneYielding = true }
      }
    }

    func finish() {
      let waiting = threads.filter { !$0.hasEnded }
      if waiting.isEmpty, openTasks > 0 {
        fail("a task waits for something that never happens.")
      }
      if !waiting.isEmpty {
        let sentences = waiting.map { thread in
          let reason = memory.reasonToWait(of: thread)
          if let reason, let calls = thread.calls, !thread.isDescribing {
            recording?.append(.waiting(reason: reason), by: thread, calls)
          }
          return "\(thread.name) \(reason ?? "can't continue")"
        }
        fail(
          "the threads wait for each other, and stay blocked: \(sentences.joined(separator: ", ")).",
          because: .blocked
        )
        exploration.workers.abandon()
      }
      isDone.signal()
    }
  }
#endif
