extension AnyChannel {
  /// Visits this channel and all that it derives from, each after its sources, but for those that are
  /// done and what only they derive from.
  ///
  /// It is a loop, so that a long chain takes no stack.
  ///
  /// - Parameter isDone: Whether to leave a channel out; it must be so once the channel was visited.
  final func visitSourcesFirst(
    unless isDone: (AnyChannel) -> Bool,
    visit: (AnyChannel) -> Void
  ) {
    guard !isDone(self) else { return }
    var path: [(channel: AnyChannel, nextSource: Int)] = [(self, 0)]
    while let (channel, nextSource) = path.last {
      if let sources = channel.derivation?.sources, nextSource < sources.count {
        path[path.count - 1].nextSource += 1
        let source = sources[nextSource].channel
        if !isDone(source) { path.append((source, 0)) }
      } else {
        visit(channel)
        path.removeLast()
      }
    }
  }
}
