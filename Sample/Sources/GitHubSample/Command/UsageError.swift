/// A command line that can't be understood, and why.
package struct UsageError: Error, Equatable {
  package let message: String

  package init(message: String) {
    self.message = message
  }
}
