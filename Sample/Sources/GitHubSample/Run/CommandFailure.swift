/// Why a command ended before the stores could say, in a sentence for the user.
struct CommandFailure: Error {
  let message: String
  var exitCode = ExitCode.failure
}
