/// How the command ends, in the numbers that `gh` uses.
package enum ExitCode: Int32 {
  case success = 0
  case failure = 1
  case usage = 2
  case unauthorized = 4
}

extension ExitCode {
  /// How a fetch ended: a missing or rejected token has a code of its own.
  init(_ failure: ApiError?) {
    switch failure?.reason {
    case nil: self = .success
    case .missingToken, .malformedToken, .rejectedToken: self = .unauthorized
    default: self = .failure
    }
  }
}
