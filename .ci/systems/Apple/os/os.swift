// The part of Apple's module `os` that FluxCapacitorDebugging uses.

public struct OSSignposter: Sendable {
  public let isEnabled = true

  public init(subsystem: String, category: String) {}

  public func emitEvent(_ name: StaticString, _ message: SignpostMetadata) {}
}

public struct SignpostMetadata: ExpressibleByStringInterpolation {
  public struct Privacy: Sendable {
    public static let `public` = Privacy()
  }

  public struct StringInterpolation: StringInterpolationProtocol {
    public init(literalCapacity: Int, interpolationCount: Int) {}

    public mutating func appendLiteral(_ literal: String) {}

    public mutating func appendInterpolation(
      _ text: @autoclosure @escaping () -> String,
      privacy: Privacy
    ) {}
  }

  public init(stringLiteral value: String) {}

  public init(stringInterpolation: StringInterpolation) {}
}
