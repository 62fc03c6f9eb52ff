import Foundation
import GitHubSample
import Synchronization
import Testing

struct RedactionTests {
  /// A text that counts how often its bytes are read.
  private struct CountedBytes: RandomAccessCollection {
    let bytes: [UInt8]
    let counter: Counter

    final class Counter: Sendable {
      let count = Mutex(0)
    }

    var startIndex: Int { 0 }
    var endIndex: Int { bytes.count }

    subscript(index: Int) -> UInt8 {
      counter.count.withLock { $0 += 1 }
      return bytes[index]
    }
  }

  /// The secrets contain their own beginnings, so a simple search would compare many characters again.
  @Test(arguments: ["gggggggg", "ghghghghghghgh", #"g\"/%gggg"#])
  func redactionReadsEachByteAFewTimesInATextOfAnyLength(secret: String) throws {
    let redaction = try #require(Redaction(of: secret))
    for text in [secret, String(secret.dropLast())] {
      for count in [1_000, 2_000, 4_000] {
        let bytes = Array(String(repeating: text, count: count).utf8)
        let counter = CountedBytes.Counter()

        _ = redaction(CountedBytes(bytes: bytes, counter: counter))

        #expect(counter.count.withLock { $0 } <= 4 * bytes.count)
      }
    }
  }

  @Test(arguments: [
    ("ghp_secret", "<token>"), ("xghp_secrety", "x<token>y"), ("ghp_ghp_secret", "ghp_<token>"),
    ("ghp_secretghp_secret", "<token><token>"), ("ghp_secre", "ghp_secre"), ("", ""),
    (#"\nghp_secret\n"#, #"\n<token>\n"#), (#"\\\u0067hp_secret\\"#, #"\\<token>\\"#),
    (#"\u006"#, #"\u006"#), (#"ghp_secre\"#, #"ghp_secre\"#), ("ghp_secre%7", "ghp_secre%7"),
    ("%67%68%70%5F%73%65%63%72%65%74", "<token>"),
  ])
  func redactionReplacesOnlyTheSecret(text: String, redacted: String) throws {
    let redaction = try #require(Redaction(of: "ghp_secret"))

    #expect(String(decoding: redaction(Array(text.utf8)), as: UTF8.self) == redacted)
  }

  /// A reader of escapes would take the beginning of the secret for a part of an escape.
  @Test(arguments: [
    ("00670067", #"\u00670067"#), ("abcdef01", "100%abcdef01"),
    ("abcdef01", "100%ab%63def01"), ("61626364", "100%6162%36364"), (#"a/b"c\de"#, #"a\/b\"c\\de"#),
    (#"a/b"c\de"#, #"a/b\u0022c\u005Cde"#),
  ])
  func secretsWithSpecialCharactersAreReplaced(secret: String, text: String) throws {
    let redaction = try #require(Redaction(of: secret))

    #expect(String(decoding: redaction(Array(text.utf8)), as: UTF8.self).contains("<token>"))
  }

  @Test func secretIsFoundAtEachDistanceFromTheBeginningOfABase64Text() throws {
    let secret = "ghp?secret>~~"
    let redaction = try #require(Redaction(of: secret))
    for (before, after) in [("", ""), ("a", "b"), ("ab", "bc"), ("abc", "")] {
      let text = Data((before + secret + after).utf8).base64EncodedString()
      let textForURLs = text.replacing("+", with: "-").replacing("/", with: "_")
      for text in [text, textForURLs, text.replacing("/", with: #"\/"#)] {
        #expect(String(decoding: redaction(Array(text.utf8)), as: UTF8.self).contains("<token>"))
      }
    }
  }
}
