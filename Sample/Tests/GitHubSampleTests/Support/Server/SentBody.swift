/// The decoded body of a request that the server has received.
struct SentBody: Decodable {
  enum Value: Decodable, Equatable {
    case text(String)
    case number(Int)
    case other

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let number = try? container.decode(Int.self) {
        self = .number(number)
      } else if let text = try? container.decode(String.self) {
        self = .text(text)
      } else {
        self = .other
      }
    }
  }

  let query: String
  let variables: [String: Value]
}
