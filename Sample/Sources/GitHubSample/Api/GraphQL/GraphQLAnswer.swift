/// The data in the body of a GraphQL answer.
struct GraphQLAnswer<Payload: Decodable>: Decodable {
  let data: Payload?
}
