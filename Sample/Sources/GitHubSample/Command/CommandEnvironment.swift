/// What a command needs of the world around it.
package struct CommandEnvironment: Sendable {
  /// Whom to ask.
  package let session: any ApiSession

  /// Whom to ask in a demo.
  package let demoSession: any ApiSession
  package let console: Console

  package init(session: any ApiSession, demoSession: any ApiSession, console: Console) {
    self.session = session
    self.demoSession = demoSession
    self.console = console
  }
}
