#if canImport(os)
  import FluxCapacitor
  import os

  /// Emits a signpost for each dispatch, which Instruments shows on a time line.
  ///
  /// The signpost's message has the state, the stores, and the duration of the reduces. Instruments records it after the
  /// reduces. The signposts end when this object is deallocated.
  public final class DispatchSignposts: Sendable {
    private let dust: Dust

    /// Begins to emit signposts.
    ///
    /// - Parameters:
    ///   - dispatcher: The dispatcher whose dispatches are shown.
    ///   - subsystem: The subsystem of the signposts, usually the identifier of your application.
    ///   - category: The category of the signposts.
    public init(
      _ dispatcher: Dispatcher = .shared,
      subsystem: String,
      category: String = "Dispatches"
    ) {
      let signposter = OSSignposter(subsystem: subsystem, category: category)
      dust = dispatcher.intercept { event in
        guard signposter.isEnabled else { return }
        let line = DispatchLogger.Format.text.line(for: event)
        signposter.emitEvent("Dispatch", "\(line, privacy: .public)")
      }
    }

    deinit {
      dust.clean()
    }
  }
#endif
