/// How the command ends, in the numbers that `gh` uses.
package enum ExitCode: Int32 {
  case success = 0
  case failure = 1
  case usage = 2
  case unauthorized = 4
}
