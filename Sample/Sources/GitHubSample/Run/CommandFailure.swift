/// A failure of a command, with a message for the user. Failures of requests are in the stores
/// instead.
struct CommandFailure: Error {
  let message: String
  var exitCode = ExitCode.failure
}
