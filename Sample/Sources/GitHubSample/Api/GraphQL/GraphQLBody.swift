/// The body of a GraphQL request.
struct GraphQLBody<Variables: Encodable>: Encodable {
  let query: String
  let variables: Variables
}
