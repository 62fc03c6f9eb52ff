/// The exit code of the command. The numbers are the same as in `gh`.
package enum ExitCode: Int32 {
  case success = 0
  case failure = 1
  case usage = 2
  case unauthorized = 4

  /// The code that shells report for SIGPIPE, by which the command ends after the reader of its output.
  case closedPipe = 141
}

extension ExitCode {
  /// Creates the exit code for the outcome of a fetch. Errors about the token have their own exit
  /// code.
  init(_ failure: ApiError?) {
    switch failure?.reason {
    case nil: self = .success
    case .missingToken, .malformedToken, .rejectedToken: self = .unauthorized
    default: self = .failure
    }
  }
}
