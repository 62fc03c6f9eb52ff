import FluxCapacitor
import Foundation

extension DispatchEvent {
  /// The approximate size in bytes of the dispatched state, and of all old and new values, without running their code.
  var estimatedSize: Int {
    let values = [state] + unsortedChanges.joined().flatMap { [$0.oldValue, $0.newValue] }
    return values.reduce(256) { sum, value in
      var estimate = Estimate()
      return sum + estimate.bytes(of: value)
    }
  }
}

/// Returns whether a value, such as a number, refers to no memory outside of its own bytes.
private func isPlain<Value>(_: Value) -> Bool { _isPOD(Value.self) }

/// An estimate of the number of bytes that a value takes up.
///
/// An estimate examines at most 1,000 parts of a value, and samples the elements of a large collection. The
/// contents of objects don't count, because another thread might be changing an object.
private struct Estimate {
  private var parts = 0

  /// The number of parts that contain the examined part. The limit fits the stacks of all threads.
  private var depth = 0

  /// Returns the number of bytes that a value uses outside of its inline storage.
  mutating func bytes(of value: Any) -> Int {
    parts += 1
    if isPlain(value) || type(of: value) is AnyClass || parts > 2_000 || depth > 32 { return 0 }
    depth += 1
    defer { depth -= 1 }
    switch value {
    case let text as String: return text.utf8.count
    case let text as Substring: return text.base.utf8.count
    case let texts as [String]: return texts.reduce(0) { $0 + 16 + $1.utf8.count }
    case let data as Data: return data.count
    case let url as URL: return url.absoluteString.utf8.count
    default: break
    }
    let mirror = plainMirror(of: value)
    switch mirror.displayStyle {
    case .collection, .set, .dictionary:
      let (size, isNumber) = (value as? any Collection).map { element(of: $0) } ?? (8, false)
      let count = mirror.children.count
      // The hashes have shuffled the elements of a set or a dictionary, and a long step would be slow.
      let step = mirror.displayStyle == .collection ? max(1, count / 100) : 1
      return Int(min(Double(count) * Double(size), 1e15))
        + (isNumber ? 0 : bytes(of: mirror.children, count, every: step))
    default:
      return mirror.children.reduce(0) { sum, child in
        parts < 1_000 ? sum + bytes(of: child.value) : sum
      }
    }
  }

  /// Estimates the bytes of all elements from a sample of about 100 elements.
  private mutating func bytes(of elements: Mirror.Children, _ count: Int, every step: Int) -> Int {
    var (sum, seen) = (0, 0)
    var index = elements.startIndex
    while index < elements.endIndex, seen == 0 || parts < 1_000 && seen < 100 {
      sum += bytes(of: elements[index].value)
      seen += 1
      guard elements.formIndex(&index, offsetBy: step, limitedBy: elements.endIndex) else { break }
    }
    // The elements of nested collections can share their memory, so the product can exceed all memory.
    return Int(min(Double(sum) * Double(count) / Double(max(1, seen)), 1e15))
  }

  private func element<Elements: Collection>(of _: Elements) -> (size: Int, isNumber: Bool) {
    (MemoryLayout<Elements.Element>.stride, Elements.Element.self is any Numeric.Type)
  }
}
