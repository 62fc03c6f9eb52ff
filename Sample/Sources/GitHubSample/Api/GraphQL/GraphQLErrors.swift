/// The errors in the body of a GraphQL answer, read before its data.
struct GraphQLErrors: Decodable {
  struct Entry: Decodable {
    let type: String?
    let message: String?

    var text: String { message ?? "it gives no reason" }
  }

  let errors: [Entry]?
}
