/// The errors in the body of a GraphQL answer, read before its data.
struct GraphQLErrors: Decodable {
  struct Entry: Decodable {
    let type: String?
    let message: String
  }

  let errors: [Entry]?
}
