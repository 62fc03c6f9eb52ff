
#if DEBUG
  extension Dispatcher {
    /// Creates what the process creates only once. Otherwise, the locks of these objects would receive numbers of the
    /// first schedule that uses them, and a seed would give other schedules in a process that has created them already.
    package static func prepareForSchedules() { _ = (ofProcess, Tracker.readsAreUndetected) }
  }
#endif
