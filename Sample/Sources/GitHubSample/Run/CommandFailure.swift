/// A failure of a command that is not in a store, with a sentence for the user.
struct CommandFailure: Error {
  let message: String
  var exitCode = ExitCode.failure
}
