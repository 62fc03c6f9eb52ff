extension ApiError {
  /// What the command's exit says of it: a missing or rejected token has a code of its own.
  package var exitCode: ExitCode {
    switch reason {
    case .missingToken, .malformedToken, .rejectedToken: .unauthorized
    default: .failure
    }
  }
}
