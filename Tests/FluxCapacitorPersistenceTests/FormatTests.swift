import FluxCapacitorPersistence
import FluxCapacitorTesting
import Foundation
import Testing

struct FormatTests {
  @Test func fileIsJSONThatAPersonCanRead() throws {
    let saved = NotesStore.Saved(notes: ["a/b", "c"], count: 2, draft: "\u{1F6F9}")

    let text = String(decoding: try NotesStore.archive.data(for: saved), as: UTF8.self)

    #expect(
      text == """
        {
          "format" : 1,
          "version" : 2,
          "checksum" : "f1c5a1f5",
          "saved" : {
            "count" : 2,
            "draft" : "🛹",
            "notes" : [
              "a/b",
              "c"
            ]
          }
        }

        """
    )
    #expect(try JSONSerialization.jsonObject(with: Data(text.utf8)) is [String: Any])
  }

  @Test func checksumIsTheOneOfCommonTools() {
    #expect(Checksum(of: "123456789".utf8).text == "cbf43926")
    #expect(Checksum(of: []).text == "00000000")
  }

  /// Returns a value that has been saved and restored.
  private func restored<Value: Codable & Sendable>(_ value: Value) throws -> Value {
    let archive = Archive(Value.self, named: "value", version: 1)
    return try archive.value(in: Envelope(archive.data(for: value)))
  }

  @Test func numbersWithoutJSONNotationSurvive() throws {
    let values = [Double.infinity, -.infinity, .nan, 0.1, .greatestFiniteMagnitude, -0.0]

    #expect(try restored(values).map(\.bitPattern) == values.map(\.bitPattern))
  }

  @Test func decimalNaNIsRefused() throws {
    #expect(try restored(["NaN": Decimal(1)]) == ["NaN": 1])
    #expect(throws: KeeperFailure.Cause.self) { try restored(["price": Decimal.nan]) }
    #expect(throws: KeeperFailure.Cause.self) { try restored(Decimal.nan) }
  }

  @Test func textThatContainsNaNSurvives() throws {
    #expect(try restored("NaN") == "NaN")
  }

  /// Foundation's error contains the value.
  @Test func failureOfAnEncodingHasNoValue() throws {
    struct Token: Codable {
      var text = "Marvin Berry"

      func encode(to _: any Encoder) throws {}
    }

    let failure = #expect(throws: KeeperFailure.Cause.self) { try restored(Token()) }

    let text = try #require(failure.map { "\($0)" })
    #expect(text.contains("Token") && !text.contains("Berry"))
  }

  /// The errors of Foundation and of the standard library contain the value, and the keys of dictionaries.
  @Test(
    arguments: [
      (#"{"Marty": "coward"}"#, "the value at /1/roles/… is invalid"),
      (#"{"Marty": 1985}"#, "the value at /1/roles/… isn't a String"),
      (#"{"Marty": null}"#, "the value at /1/roles/… lacks a String"),
      (#""coward""#, "the value at /1/roles isn't a Dictionary<String, Any>"),
      ("null", "the value at /1/roles lacks a Dictionary<String, Any>"),
    ]
  )
  func failureOfADecodingHasNoContents(roles: String, reason: String) throws {
    enum Role: String, Codable { case guitarist }

    struct Band: Codable {
      var roles: [String: Role]
    }

    let archive = Archive([Band].self, named: "bands", version: 1)
    let text = #"{"format": 1, "version": 1, "saved": [{"roles": {}}, {"roles": \#(roles)}]}"#

    let failure = #expect(throws: KeeperFailure.Cause.self) {
      try archive.value(in: Envelope(Data(text.utf8)))
    }

    #expect(failure == .notDecodable(reason))
  }

  @Test(
    arguments: [
      (#"{"format": 1, "version": 1, "saved": ["a" "b"]}"#, "its saved value isn't valid JSON"),
      (#"{"format": 1, "version": 1.0, "saved": []}"#, "its version isn't a whole number"),
      (#"{"format": "1", "version": 1, "saved": []}"#, "its format isn't a whole number"),
      (#"{"format": 1, "version": 1, "checkfum": "0", "saved": []}"#, "it has an unknown member"),
    ]
  )
  func mistakeOfAPersonIsDamage(text: String, reason: String) throws {
    let archive = Archive([String].self, named: "list", version: 1)

    #expect(throws: KeeperFailure.Cause.damaged(reason)) {
      try archive.value(in: Envelope(Data(text.utf8)))
    }
  }

  @Test func failureOfADecodingNamesNoKeyThatIsData() throws {
    struct Fee: Codable {
      struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue _: Int) { nil }
      }

      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        _ = try container.decode(Int.self, forKey: Key(stringValue: "Marvin Berry"))
      }
    }

    let archive = Archive(Fee.self, named: "fees", version: 1)
    let text = #"{"format": 1, "version": 1, "saved": {}}"#

    let failure = #expect(throws: KeeperFailure.Cause.self) {
      try archive.value(in: Envelope(Data(text.utf8)))
    }

    #expect(failure == .notDecodable("the value lacks …"))
  }

  @Test func dateKeepsItsFraction() throws {
    let date = Date(timeIntervalSince1970: 499_137_600.123_456)

    #expect(try restored([date]) == [date])
  }

  @Test func otherCoderWritesABase64Text() throws {
    let archive = Archive([String].self, named: "list", version: 1, coder: PropertyListCoder())

    let data = try archive.data(for: ["a", "b"])

    #expect(String(decoding: data, as: UTF8.self).contains("\"savedAsBase64\" : \""))
    #expect(try archive.value(in: Envelope(data)) == ["a", "b"])
  }

  @Test func changedVersionIsDamage() throws {
    let archive = Archive([String].self, named: "list", version: 3)
    let text = String(decoding: try archive.data(for: ["a"]), as: UTF8.self)
    let changed = text.replacing("\"version\" : 3", with: "\"version\" : 1")

    #expect(throws: KeeperFailure.Cause.damaged("the checksum doesn't match the contents")) {
      try Envelope(Data(changed.utf8))
    }
  }

  @Test(arguments: ["[1, 2]", " [1, 2]\n", "\r\n[1, 2]\r\n"])
  func spaceAroundTheTextOfAJSONCoderIsRemoved(text: String) throws {
    let archive = Archive([Int].self, named: "list", version: 1, coder: TextCoder(text: text))

    #expect(try archive.value(in: Envelope(archive.data(for: []))) == [1, 2])
  }

  @Test(arguments: ["", " ", "[1", "1 2", "{}{}", "]"])
  func textThatIsNotOneJSONValueCannotBeSaved(text: String) {
    let archive = Archive([Int].self, named: "list", version: 1, coder: TextCoder(text: text))

    #expect(throws: KeeperFailure.Cause.self) { try archive.data(for: []) }
  }

  @Test func migrationCanUseTheOlderCoder() throws {
    let old = Archive([String].self, named: "list", version: 1, coder: PropertyListCoder())
    let new = Archive(Int.self, named: "list", version: 2)
      .migrating(from: 1, [String].self, coder: PropertyListCoder()) { $0.count }

    #expect(try new.value(in: Envelope(old.data(for: ["a", "b"]))) == 2)
  }

  @Test func stringWithTheSyntaxOfJSONDoesNotEndItsValue() throws {
    let strings = ["\"", "\\", "}", "]", "\\\"", "\n", "{\"saved\":1}", ","]

    #expect(try restored(strings) == strings)
  }

  @Test func archiveWithAnInvalidNameTraps() async {
    await #expect(processExitsWith: .failure) { _ = Archive(Int.self, named: "a/b", version: 1) }
    await #expect(processExitsWith: .failure) { _ = Archive(Int.self, named: ".a", version: 1) }
    await #expect(processExitsWith: .failure) { _ = Archive(Int.self, named: "", version: 1) }
    await #expect(processExitsWith: .failure) {
      _ = Archive(Int.self, named: "notes.aside-1", version: 1)
    }
  }

  @Test func migrationFromANewerOrRepeatedVersionTraps() async {
    await #expect(processExitsWith: .failure) {
      _ = Archive(Int.self, named: "a", version: 1).migrating(from: 1, Int.self) { $0 }
    }
    await #expect(processExitsWith: .failure) {
      _ = Archive(Int.self, named: "a", version: 3)
        .migrating(from: 1, Int.self) { $0 }
        .migrating(from: 1, Int.self) { $0 }
    }
  }
}

private struct PropertyListCoder: ArchiveCoder {
  func encode(_ saved: some Encodable) throws -> Data { try PropertyListEncoder().encode(saved) }

  func decode<Saved: Decodable>(_ type: Saved.Type, from data: Data) throws -> Saved {
    try PropertyListDecoder().decode(type, from: data)
  }
}

/// A coder that claims to write JSON, and always writes the same text.
private struct TextCoder: ArchiveCoder {
  let text: String

  var isJSON: Bool { true }

  func encode(_: some Encodable) throws -> Data { Data(text.utf8) }

  func decode<Saved: Decodable>(_ type: Saved.Type, from data: Data) throws -> Saved {
    try JSONDecoder().decode(type, from: data)
  }
}
